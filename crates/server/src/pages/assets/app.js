// What every page can do: the switch of the theme, the help sheet, the shortcuts, times that go on.

import { follow } from "./live.js";
import { tellTimes } from "./times.js";

const root = document.documentElement;

/** Whether somebody is typing, so that letters are text and no shortcuts. */
export function isTyping(event) {
  const at = event.target;
  return at instanceof HTMLElement && (at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName));
}

// The theme.

const dark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
}

const themeButton = document.getElementById("theme");
themeButton?.addEventListener("click", () => {
  const chosen = isDark() ? "light" : "dark";
  root.dataset.theme = chosen;
  try {
    if ((chosen === "dark") === dark.matches) localStorage.removeItem("theme");
    else localStorage.setItem("theme", chosen);
  } catch {
    // Then the choice holds for this page.
  }
});
if (themeButton) themeButton.hidden = false;

// The help sheet, and shortcuts.

const help = document.getElementById("help");

function showHelp() {
  if (help instanceof HTMLDialogElement && !help.open) help.showModal();
}

document.getElementById("help-link")?.addEventListener("click", (event) => {
  event.preventDefault();
  showHelp();
});

const places = { b: "/", g: "/graph", t: "/timeline", r: "/runs", c: "/chunks", i: "/sessions", a: "/agents", o: "/outbox", s: "/stats" };
let going = 0;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (document.querySelector("dialog[open]")) return;
  if (going && event.timeStamp - going < 1500 && places[event.key]) {
    event.preventDefault();
    location.href = withProject(places[event.key]);
    return;
  }
  going = 0;
  switch (event.key) {
    case "?":
      showHelp();
      break;
    case "/": {
      const search = document.querySelector("[data-search]:not([hidden])");
      const shown = search?.offsetParent ? search : document.querySelector("main [type=search]");
      if (shown) shown.focus();
      else location.href = withProject("/search");
      break;
    }
    case "g":
      going = event.timeStamp;
      break;
    default:
      return;
  }
  event.preventDefault();
});

function withProject(path) {
  const project = new URLSearchParams(location.search).get("project");
  return project ? `${path}?project=${encodeURIComponent(project)}` : path;
}

// A menu closes when somebody looks elsewhere.

document.addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details.drop[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const open of document.querySelectorAll("details.drop[open]")) {
    open.open = false;
    open.querySelector("summary")?.focus();
  }
});

// Filters that take effect when they change; their buttons are for browsers without scripts.

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-at-once]");
  if (form) form.requestSubmit();
});
for (const form of document.querySelectorAll("form[data-at-once]")) {
  form.querySelector("button[data-spare]")?.setAttribute("hidden", "");
  // What is empty is no filter, and does not belong into the address.
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
  });
}

setInterval(tellTimes, 15_000);

// On a narrow screen tabs are scrolled: to the one that is shown.

function revealTabs() {
  for (const strip of document.querySelectorAll(".pages, .tabs")) {
    const here = strip.querySelector("[aria-current]");
    if (!here || strip.scrollWidth <= strip.clientWidth) continue;
    const [box, at] = [strip.getBoundingClientRect(), here.getBoundingClientRect()];
    if (at.left < box.left || at.right > box.right) strip.scrollLeft += (at.left + at.right - box.left - box.right) / 2;
  }
}
revealTabs();
document.addEventListener("refreshed", revealTabs);

// A text that is worth nothing until it is somewhere else.

for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  if (!source) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const said = (await copied(source)) ? "Copied" : "Select it, and copy it with the keyboard";
    button.textContent = said;
    say(said);
  });
}

/** Whether the text of an element could be copied. Browsers lend the clipboard to local and to encrypted pages alone. */
async function copied(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return document.execCommand("copy");
  }
}

// Messages that come and go.

/** Shows a message: {kind: "good"|"bad", title, hint, code}. Bad ones stay until closed. */
export function toast({ kind = "good", title, hint, code }) {
  const box = document.createElement("div");
  box.className = `toast ${kind}`;
  box.setAttribute("role", kind === "bad" ? "alert" : "status");
  const text = document.createElement("div");
  text.className = "text";
  const add = (tag, content, cls) => {
    if (!content) return;
    const part = document.createElement(tag);
    part.textContent = content;
    if (cls) part.className = cls;
    text.append(part);
  };
  add("p", title);
  add("p", hint, "soft");
  add("code", code, "soft");
  const close = document.createElement("button");
  close.type = "button";
  close.className = "plain square";
  close.setAttribute("aria-label", "Close this message");
  close.textContent = "×";
  close.addEventListener("click", () => box.remove());
  box.append(text, close);
  document.getElementById("toasts")?.append(box);
  if (kind !== "bad") setTimeout(() => box.remove(), 5000);
  return box;
}

/** Says something to those who listen to the page. */
export function say(text) {
  const said = document.getElementById("said");
  if (said) said.textContent = text;
}

/** Does an operation, in the name of whoever looks at the page. Answers {ok, answer} or {ok: false, problem}. */
export async function act(operation, fields) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null) body.append(name, value);
  }
  try {
    const response = await fetch(`/do/${operation}`, {
      method: "POST",
      headers: { accept: "application/json" },
      body,
    });
    const answer = await response.json();
    return response.ok ? { ok: true, answer } : { ok: false, problem: answer };
  } catch {
    const detail = "no answer from the server: whether it was done is not known";
    return { ok: false, problem: { detail, hint: "load the page again to see, before you repeat it", code: "unreachable" } };
  }
}

/** A text with the ids in it as people see them: by their last characters. */
const inShort = (text) => text?.replace(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, (id) => id.slice(-6));

/** Shows why something was refused. */
export function refused(problem) {
  return toast({ kind: "bad", title: inShort(problem.detail), hint: inShort(problem.hint), code: problem.code });
}

follow();
