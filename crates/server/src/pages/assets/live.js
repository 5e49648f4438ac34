// Follows the events of the ledger, and brings what is marked as live up to date.
//
// The stream is read with fetch, not EventSource: it names every event by its kind, a refusal must
// be told apart from a broken line, and a page that nobody looks at should hold no connection.

import { tellTimes } from "./times.js";

const label = document.getElementById("live");
const listeners = new Set();
let seq = Number(document.documentElement.dataset.seq ?? 0);
let line = null;
let failures = 0;
let timer = 0;

/** Calls `listener` with the events of each burst. */
export function onEvents(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function say(state, text, more = "") {
  if (!label) return;
  label.dataset.state = state;
  label.textContent = text;
  label.title = more;
}

/** Begins to follow, if the page says where it is in the log. */
export function follow() {
  if (!label || document.documentElement.dataset.seq === undefined) return;
  label.hidden = false;
  addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(stop, 20_000);
    else if (!line) connect();
  });
  addEventListener("online", () => !line && connect());
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => event.persisted && connect());
  if (!document.hidden) connect();
}

function stop() {
  line?.abort();
  line = null;
}

function again(reason) {
  line = null;
  failures += 1;
  const wait = Math.min(500 * 2 ** Math.min(failures, 5), 10_000);
  if (failures < 3) say("waiting", "reconnecting", reason);
  else say("lost", "connection lost", `${reason}; what you see may be old`);
  clearTimeout(timer);
  timer = setTimeout(connect, wait);
}

async function connect() {
  stop();
  clearTimeout(timer);
  const own = new AbortController();
  line = own;
  if (failures === 0) say("waiting", "connecting");
  try {
    const response = await fetch(`/v1/events/stream?after=${seq}`, {
      headers: { accept: "text/event-stream" },
      cache: "no-store",
      signal: own.signal,
    });
    if (response.status === 401) {
      say("lost", "", "your key, or the token of the server, counts no more");
      const enter = document.createElement("a");
      enter.href = "/enter";
      enter.textContent = "signed out";
      label?.append(enter);
      return;
    }
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
    const missed = failures > 0;
    failures = 0;
    say("live", "live", "changes are shown as they happen");
    // What a server that was restarted does not repeat would be missed otherwise.
    if (missed) gather({ kind: "reconnected" });
    await read(response.body, own);
    throw new Error("the server closed the stream");
  } catch (error) {
    if (line === own) again(error.message);
  }
}

async function read(body, own) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done || own.signal.aborted) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) heard(block);
  }
}

function heard(block) {
  const data = [];
  let kind = "";
  for (const text of block.split(/\r?\n/)) {
    if (text.startsWith("data:")) data.push(text.slice(5).trimStart());
    else if (text.startsWith("event:")) kind = text.slice(6).trim();
    else if (text.startsWith("id:")) seq = Math.max(seq, Number(text.slice(3)) || 0);
  }
  if (!data.length || kind === "bye") return;
  try {
    gather(JSON.parse(data.join("\n")));
  } catch {
    // Not one of ours; the next one may be.
  }
}

// The first event of a burst is acted on at once, the rest together.

let waiting = [];
let busy = false;

function gather(event) {
  waiting.push(event);
  if (!busy) hand();
}

async function hand() {
  busy = true;
  while (waiting.length) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    const burst = waiting;
    waiting = [];
    const began = performance.now();
    await Promise.allSettled([...listeners].map((listener) => listener(burst)));
    // A busy ledger is looked at a few times a second, however often it changes.
    const rest = Math.max(120, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
  busy = false;
}

// Parts of a page that are live: elements with data-live and an id are fetched again and patched.

let held = false;

/** Leaves the page as it is while somebody moves something on it. */
export function hold(on) {
  held = on;
}

/** Fetches this page again and brings its live parts up to date. */
export async function refresh() {
  const response = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-store" });
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  if (held) return;
  // So that two cards that differ by their age alone are the same.
  tellTimes(document);
  tellTimes(fresh);
  for (const part of document.querySelectorAll("[data-live][id]")) {
    const next = fresh.getElementById(part.id);
    if (next) patch(part, next);
  }
  document.dispatchEvent(new CustomEvent("refreshed"));
}

/** Somebody is writing in it: what was typed must not be taken away. */
function isInUse(part) {
  if (part.querySelector("dialog[open]")) return true;
  for (const field of part.querySelectorAll("input:not([type=hidden]), textarea")) {
    if (field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue) return true;
  }
  return part.contains(document.activeElement) && /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
}

/** Makes `old` look like `next`, touching as little as possible; children with ids are moved, not made anew. */
export function patch(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.hasAttribute("data-keyed") && next.hasAttribute("data-keyed")) {
    attributes(old, next);
    keyed(old, next);
    return;
  }
  const inside = [...next.children].some((child) => child.hasAttribute("data-keyed") || child.querySelector("[data-keyed]"));
  if (inside && old.children.length === next.children.length) {
    attributes(old, next);
    [...old.children].forEach((child, index) => patch(child, next.children[index]));
    return;
  }
  if (isInUse(old)) return;
  swap(old, next);
}

function attributes(old, next) {
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}

/** Puts `next` in the place of `old`, keeping the focus and what is folded out. */
function swap(old, next) {
  const fresh = document.importNode(next, true);
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const id = focused?.closest("[id]")?.id;
  for (const open of old.querySelectorAll("details[open][id]")) {
    const same = fresh.querySelector(`#${CSS.escape(open.id)}`);
    if (same) same.open = true;
  }
  const changed = old.dataset.version !== fresh.dataset.version;
  old.replaceWith(fresh);
  if (changed && old.dataset.version) mark(fresh);
  if (focused && id) (fresh.id === id ? fresh : fresh.querySelector(`#${CSS.escape(id)}`))?.focus({ preventScroll: true });
}

function keyed(old, next) {
  const here = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  const wanted = new Set([...next.children].map((child) => child.id));
  for (const child of [...old.children]) if (!wanted.has(child.id) && !inOther(child, next)) child.remove();
  let at = old.firstElementChild;
  for (const child of [...next.children]) {
    // A card that moved here from another column is there already, and stays the same element.
    const same = here.get(child.id) ?? document.getElementById(child.id);
    if (!same) {
      const fresh = document.importNode(child, true);
      old.insertBefore(fresh, at);
      mark(fresh);
      continue;
    }
    if (same === at) at = at.nextElementSibling;
    else {
      const focused = same.contains(document.activeElement) ? document.activeElement : null;
      old.insertBefore(same, at);
      focused?.focus({ preventScroll: true });
    }
    if (!same.isEqualNode(child) && !isInUse(same)) swap(same, child);
  }
  while (at) {
    const gone = at;
    at = at.nextElementSibling;
    if (!wanted.has(gone.id)) gone.remove();
  }
}

function inOther(child, next) {
  return child.id !== "" && next.ownerDocument.getElementById(child.id) !== null;
}

/** Shows for a moment that something is new. By an animation: it leaves the element as it was. */
function mark(element) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const glow = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  element.animate([{ outline: `2px solid ${glow}`, outlineOffset: "1px" }, { outline: "2px solid transparent", outlineOffset: "1px" }], { duration: 1600, easing: "ease-in" });
}

/** A page about a few things is not fetched again for what happens to others. */
function concerns(burst) {
  const followed = document.querySelector("[data-follow]")?.dataset.follow.split(" ");
  if (!followed) return true;
  return burst.some((event) => {
    const text = JSON.stringify(event);
    return event.kind === "reconnected" || followed.some((id) => text.includes(id));
  });
}

if (document.querySelector("[data-live][id]")) {
  onEvents((burst) => (concerns(burst) ? refresh() : undefined));
  // Leases run out and tasks fall silent without an event.
  setInterval(() => document.hidden || refresh(), 60_000);
}
