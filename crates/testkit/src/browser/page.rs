//! A page: what a person does with it, what it answers, and what goes wrong in it meanwhile.

use std::cell::RefCell;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::keyboard;
use super::wire::{Event, Wire};
use crate::wait;

/// A tab with cookies and storage of its own.
#[derive(Debug)]
pub struct Page {
    wire: Arc<Wire>,
    session: String,
    context: String,
    troubles: RefCell<Vec<Trouble>>,
}

/// What must not happen in a page, in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// `alert` and its like, closed at once.
    Dialog(String),
    /// The policy of the page forbade something that it tried.
    Policy(String),
    /// A script failed, or complained with `console.error`.
    Script(String),
    /// Something could not be loaded, or was answered with an error.
    Load(String),
}

/// The size of the window, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    Desktop {
        width: u32,
        height: u32,
    },
    /// With fingers instead of a mouse.
    Phone {
        width: u32,
        height: u32,
    },
}

/// What a mouse does at a place.
#[derive(Debug, Clone, Copy)]
enum Mouse {
    Move,
    Press,
    /// Moves while pressed.
    Drag,
    Release,
}

/// What every page is told to report.
const REPORTS: [&str; 4] = ["Page.enable", "Runtime.enable", "Log.enable", "Audits.enable"];

impl Page {
    #[track_caller]
    pub(super) fn open(wire: &Arc<Wire>) -> Self {
        let ask = |method, parameters, key: &str| {
            let answer: Result<Value, String> = wire.call(None, method, parameters);
            let answer = answer.unwrap_or_else(|error| panic!("no page: {error}"));
            answer.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let context = ask("Target.createBrowserContext", json!({}), "browserContextId");
        let blank = json!({"url": "about:blank", "browserContextId": context});
        let target = ask("Target.createTarget", blank, "targetId");
        let attach = json!({"targetId": target, "flatten": true});
        let session = ask("Target.attachToTarget", attach, "sessionId");
        let page = Self { wire: Arc::clone(wire), session, context, troubles: RefCell::default() };
        for report in REPORTS {
            page.order(report, json!({}));
        }
        page
    }

    /// Goes to an address and waits until all of it is loaded.
    #[track_caller]
    pub fn goto(&self, url: &str) {
        let answer = self.order("Page.navigate", json!({"url": url}));
        if let Some(error) = answer.get("errorText").and_then(Value::as_str) {
            panic!("cannot go to {url}: {error}");
        }
        self.wait_for("document.readyState === 'complete'");
    }

    /// Returns as soon as an expression is true; panics when it is not within [`wait::LIMIT`].
    #[track_caller]
    pub fn wait_for(&self, expression: &str) {
        let mut last = Value::Null;
        let happened = wait::happens(|| {
            // A page that is about to be replaced cannot answer; its successor can.
            last = self.evaluate(&format!("!!({expression})")).unwrap_or_else(Value::from);
            last == Value::Bool(true)
        });
        assert!(happened, "waited in vain for `{expression}` ({last})\n{self}");
    }

    /// The value of an expression, which may be a promise of it.
    #[track_caller]
    pub fn eval(&self, expression: &str) -> Value {
        match self.evaluate(expression) {
            Ok(value) => value,
            Err(error) => panic!("`{expression}`: {error}\n{self}"),
        }
    }

    /// The same as text; empty when it is none.
    #[track_caller]
    pub fn text(&self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Clicks in the middle of the element, once it is there, as a mouse does.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let at = self.middle_of(selector);
        self.mouse(Mouse::Move, at);
        self.mouse(Mouse::Press, at);
        self.mouse(Mouse::Release, at);
    }

    /// Drags one element into the middle of another.
    #[track_caller]
    pub fn drag(&self, from: &str, to: &str) {
        let start = self.middle_of(from);
        self.mouse(Mouse::Move, start);
        self.mouse(Mouse::Press, start);
        let end = self.point_in(to);
        let between = (f64::midpoint(start.0, end.0), f64::midpoint(start.1, end.1));
        // A drag begins only after some way; the goal notices only a mouse that moves over it.
        for at in [(start.0 + 8.0, start.1 + 8.0), between, end, (end.0 + 1.0, end.1 + 1.0)] {
            self.mouse(Mouse::Drag, at);
        }
        self.mouse(Mouse::Release, (end.0 + 1.0, end.1 + 1.0));
    }

    /// Types into whatever has the focus, key by key.
    #[track_caller]
    pub fn type_text(&self, text: &str) {
        let mut letter = [0; 4];
        for character in text.chars() {
            match character {
                '\n' => self.press("Enter"),
                other => self.press(other.encode_utf8(&mut letter)),
            }
        }
    }

    /// Presses a key: `a`, `Enter`, `ArrowLeft`, `Shift+Tab`, `Control+Enter`.
    #[track_caller]
    pub fn press(&self, key: &str) {
        let Some(events) = keyboard::press(key) else { panic!("no key {key:?}") };
        for event in events {
            self.order("Input.dispatchKeyEvent", event);
        }
    }

    #[track_caller]
    pub fn set_screen(&self, screen: Screen) {
        let (width, height, phone) = match screen {
            Screen::Desktop { width, height } => (width, height, false),
            Screen::Phone { width, height } => (width, height, true),
        };
        let scale = if phone { 2 } else { 1 };
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": phone});
        self.order("Emulation.setDeviceMetricsOverride", metrics);
        self.order("Emulation.setTouchEmulationEnabled", json!({"enabled": phone}));
    }

    /// What `prefers-color-scheme` is: `light` or `dark`.
    #[track_caller]
    pub fn set_colours(&self, scheme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.order("Emulation.setEmulatedMedia", json!({"features": [feature]}));
    }

    /// From the next page on no script runs; the test's own expressions still do.
    #[track_caller]
    pub fn turn_scripts_off(&self) {
        self.order("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    }

    /// Writes a picture of the window (PNG).
    #[track_caller]
    pub fn screenshot(&self, path: &Path) {
        let answer = self.order("Page.captureScreenshot", json!({"format": "png"}));
        let data = answer.get("data").and_then(Value::as_str).unwrap_or_default();
        let picture = STANDARD.decode(data).unwrap_or_default();
        if let Err(error) = fs::write(path, picture) {
            panic!("cannot write {}: {error}", path.display());
        }
    }

    /// What went wrong so far, in order.
    #[track_caller]
    pub fn troubles(&self) -> Vec<Trouble> {
        // Its answer comes after all that happened before.
        self.order("Runtime.evaluate", json!({"expression": "0"}));
        self.hear();
        self.troubles.borrow().clone()
    }

    #[track_caller]
    fn order(&self, method: &str, parameters: Value) -> Value {
        match self.wire.call(Some(&self.session), method, parameters) {
            Ok(answer) => answer,
            Err(error) => panic!("{error}"),
        }
    }

    /// Errors are those of the script and those of a page that is going away.
    fn evaluate(&self, expression: &str) -> Result<Value, String> {
        let order = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.wire.call(Some(&self.session), "Runtime.evaluate", order)?;
        match answer.get("exceptionDetails") {
            Some(error) => Err(exception(error)),
            None => Ok(answer.pointer("/result/value").cloned().unwrap_or_default()),
        }
    }

    /// Where to click: in view, and not covered by something else.
    #[track_caller]
    fn middle_of(&self, selector: &str) -> (f64, f64) {
        let element = format!("document.querySelector({})", Value::from(selector));
        self.wait_for(&element);
        self.eval(&format!("{element}.scrollIntoView({{block: 'nearest', inline: 'nearest'}})"));
        self.wait_for(&format!(
            "(() => {{
                const element = {element};
                const box = element.getBoundingClientRect();
                const top = document.elementFromPoint(
                    box.x + box.width / 2, box.y + box.height / 2);
                return element === top || element.contains(top) || top?.contains(element)
                    && top.matches('label');
            }})()"
        ));
        self.point_in(selector)
    }

    /// The middle of an element, or of the part of it that is in the window.
    #[track_caller]
    fn point_in(&self, selector: &str) -> (f64, f64) {
        let selector = Value::from(selector);
        let middle = self.eval(&format!(
            "(() => {{
                const box = document.querySelector({selector}).getBoundingClientRect();
                const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
                return [middle(box.left, box.right, innerWidth),
                    middle(box.top, box.bottom, innerHeight)];
            }})()"
        ));
        let number = |at| middle.get(at).and_then(Value::as_f64).unwrap_or_default();
        (number(0), number(1))
    }

    #[track_caller]
    fn mouse(&self, act: Mouse, (x, y): (f64, f64)) {
        let (kind, button, buttons) = match act {
            Mouse::Move => ("mouseMoved", "none", 0),
            Mouse::Press => ("mousePressed", "left", 1),
            Mouse::Drag => ("mouseMoved", "left", 1),
            Mouse::Release => ("mouseReleased", "left", 0),
        };
        let clicks = u8::from(kind != "mouseMoved");
        let event = json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons,
            "clickCount": clicks});
        self.order("Input.dispatchMouseEvent", event);
    }

    fn hear(&self) {
        let troubles =
            self.wire.events(&self.session).into_iter().filter_map(|event| trouble(&event));
        self.troubles.borrow_mut().extend(troubles);
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let context = json!({"browserContextId": self.context});
        // A test that fails may have lost the browser as well.
        self.wire.call(None, "Target.disposeBrowserContext", context).ok();
    }
}

/// What the page shows, for a test that waited in vain.
impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hear();
        let shown = self.evaluate("location.href + '\\n' + document.body.innerText");
        let shown =
            shown.as_ref().map_or_else(String::as_str, |shown| shown.as_str().unwrap_or(""));
        write!(f, "--- {shown}\n--- {:#?}", self.troubles.borrow())
    }
}

fn trouble(event: &Event) -> Option<Trouble> {
    let Event { name, details } = event;
    let text = |pointer| details.pointer(pointer).and_then(Value::as_str);
    let own = |pointer| text(pointer).unwrap_or_default().to_owned();
    match name.as_str() {
        "Page.javascriptDialogOpening" => Some(Trouble::Dialog(own("/message"))),
        "Runtime.exceptionThrown" => {
            Some(Trouble::Script(exception(details.get("exceptionDetails")?)))
        }
        "Runtime.consoleAPICalled" if text("/type") == Some("error") => {
            Some(Trouble::Script(details.get("args")?.to_string()))
        }
        "Audits.issueAdded" => {
            let policy = details.pointer("/issue/details/contentSecurityPolicyIssueDetails")?;
            Some(Trouble::Policy(policy.to_string()))
        }
        "Log.entryAdded" if text("/entry/level") == Some("error") => match text("/entry/source") {
            // Told by `Audits` with more details.
            Some("security") => None,
            Some("network") => {
                Some(Trouble::Load(format!("{} {}", own("/entry/text"), own("/entry/url"))))
            }
            _ => Some(Trouble::Script(own("/entry/text"))),
        },
        _ => None,
    }
}

fn exception(details: &Value) -> String {
    let text = |pointer| details.pointer(pointer).and_then(Value::as_str);
    text("/exception/description").or_else(|| text("/text")).unwrap_or_default().to_owned()
}
