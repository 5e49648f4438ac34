//! Light and dark: every text stands out from what is behind it as WCAG AA asks.

use serde_json::json;
use windlass_testkit::browser::Screen;

use crate::furniture::{furnish, plain};
use crate::scene::Scene;

/// All texts in view whose contrast is too low. A canvas knows every way to write a colour.
const FAINT: &str = "
    (() => {
        const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        const rgba = (colour) => {
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
            return [r, g, b, a / 255];
        };
        const over = (top, below) => {
            const mix = (at) => top[at] * top[3] + below[at] * (1 - top[3]);
            return [mix(0), mix(1), mix(2), 1];
        };
        const light = ([r, g, b]) => {
            const part = (value) => {
                value /= 255;
                return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            };
            return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
        };
        const ground = (element) => {
            const above = [];
            for (let up = element; up; up = up.parentElement) {
                const colour = rgba(getComputedStyle(up).backgroundColor);
                if (colour[3] > 0) above.push(colour);
                if (colour[3] === 1) break;
            }
            return above.reverse().reduce((below, top) => over(top, below), rgba('Canvas'));
        };
        const faint = [];
        let texts = 0;
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const text = walker.currentNode.data.trim();
            const element = walker.currentNode.parentElement;
            if (!text || !element.checkVisibility({visibilityProperty: true})) continue;
            if (element.closest('svg, option, .unseen, .skip')) continue;
            texts += 1;
            const style = getComputedStyle(element);
            const behind = ground(element);
            const ink = rgba(style.color);
            for (let up = element; up; up = up.parentElement) ink[3] *= getComputedStyle(up).opacity;
            const [one, two] = [light(over(ink, behind)), light(behind)];
            const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
            const size = parseFloat(style.fontSize);
            const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
            if (contrast < (large ? 3 : 4.5)) {
                faint.push(`${contrast.toFixed(2)} ${element.tagName}.${element.className} ${text.slice(0, 40)}`);
            }
        }
        return {texts, faint: [...new Set(faint)]};
    })()";

#[test]
fn all_text_has_enough_contrast_in_the_light_and_in_the_dark() {
    let Some(scene) = Scene::set() else { return };
    let furnished = furnish(&scene, "ship", &plain);
    let page = scene.stranger();
    page.set_screen(Screen::Desktop { width: 1400, height: 900 });
    let mut faint = Vec::new();
    let mut grounds = Vec::new();
    let mut paths = furnished.pages();
    paths.push("/tasks/ABCDEFGH".to_owned());
    scene.enter(&page);
    for colours in ["light", "dark"] {
        page.set_colours(colours);
        for path in &paths {
            scene.go(&page, path);
            // What is folded away is text too.
            page.eval("document.querySelectorAll('details').forEach((it) => { it.open = true; })");
            let found = page.eval(FAINT);
            assert_ne!(found["texts"], json!(0), "{path} has no text");
            if found["faint"] != json!([]) {
                faint.push(format!("{colours} {path}: {:#}", found["faint"]));
            }
        }
        grounds.push(page.text("getComputedStyle(document.documentElement).backgroundColor"));
    }
    assert!(faint.is_empty(), "{}", faint.join("\n"));
    assert_ne!(grounds[0], grounds[1], "light and dark look the same");
}

#[test]
fn a_chosen_theme_is_remembered() {
    let Some(scene) = Scene::set() else { return };
    let page = scene.page("/");
    page.set_colours("light");
    let ground = "getComputedStyle(document.documentElement).backgroundColor";
    let light = page.text(ground);
    page.click("#theme");
    let dark = page.text(ground);
    assert_ne!(light, dark);
    scene.go(&page, "/help");
    assert_eq!(page.text(ground), dark);
}
