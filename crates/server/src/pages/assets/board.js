// The board: cards are moved by mouse or by keys, and tasks are added, without leaving the page.

import { act, isTyping, refused, say, toast } from "./app.js";
import { hold, refresh } from "./live.js";

const board = document.getElementById("board");
const columns = () => [...document.querySelectorAll(".column[data-status]")];
const cardsOf = (column) => [...column.querySelectorAll(".card")];
const current = () => document.activeElement?.closest?.(".card") ?? null;
const titleOf = (card) => card.querySelector(".title")?.textContent.trim() ?? "";

function focus(card) {
  const link = card?.querySelector(".title");
  if (!link) return;
  link.focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// Which operation brings a task from one status to another: the same as on the command line.

function operation(from, to, task) {
  const me = document.documentElement.dataset.person;
  if (to === "done") return ["task.complete", { task }];
  if (to === "blocked") return ["task.block", { task }];
  if (from === "done" && (to === "ready" || to === "backlog")) return ["task.reopen", { task, status: to }];
  if (from === "blocked" && to === "in_progress") return ["task.unblock", { task }];
  if (from === "blocked" && to === "ready") return ["task.unblock", { task, release: "true" }];
  if (from === "ready" && to === "in_progress") return ["task.claim", { task, agent: me }];
  if (from === "in_progress" && to === "ready") return ["task.release", { task }];
  if (to === "in_progress") return ["task.set-status", { task, status: to, agent: me }];
  return ["task.set-status", { task, status: to }];
}

const why = document.getElementById("why");

/** Asks why a task is blocked. Null when it shall not be. */
function askWhy(card) {
  return new Promise((resolve) => {
    const form = why.querySelector("form");
    form.reset();
    why.returnValue = "";
    document.getElementById("why-task").textContent = titleOf(card);
    why.addEventListener(
      "close",
      () => resolve(why.returnValue === "block" ? form.elements.comment.value.trim() : null),
      { once: true },
    );
    why.showModal();
  });
}

async function move(card, to) {
  const from = card.dataset.status;
  const column = document.getElementById(`column-${to}`);
  if (!column || from === to) return;
  const [name, fields] = operation(from, to, card.dataset.task);
  const place = [card.parentElement, card.nextElementSibling];
  const hadFocus = card.contains(document.activeElement);
  hold(true);
  if (to === "blocked") {
    const comment = await askWhy(card);
    if (comment === null) {
      hold(false);
      focus(card);
      return;
    }
    if (comment) fields.comment = comment;
  }
  // It is shown where it will be; if it is refused, it goes back.
  column.querySelector(".cards").prepend(card);
  card.dataset.status = to;
  card.toggleAttribute("data-moving", true);
  if (hadFocus || to === "blocked") focus(card);
  const done = await act(name, fields);
  card.removeAttribute("data-moving");
  hold(false);
  if (done.ok) {
    say(`${titleOf(card)}: moved to ${columnName(to)}`);
  } else {
    card.dataset.status = from;
    place[0].insertBefore(card, place[1]?.parentElement === place[0] ? place[1] : null);
    if (hadFocus) focus(card);
    refused(done.problem);
  }
  await refresh();
}

function columnName(status) {
  return document.getElementById(`name-${status}`)?.textContent.trim() ?? status;
}

// Keys.

const letters = { b: "backlog", r: "ready", i: "in_progress", x: "blocked", d: "done" };
const ways = { ArrowUp: "up", k: "up", ArrowDown: "down", j: "down", ArrowLeft: "left", h: "left", ArrowRight: "right", l: "right" };
let moving = null;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (document.querySelector("dialog[open], details.drop[open]")) return;
  const card = current();
  if (moving) {
    const to = letters[event.key.toLowerCase()];
    const chosen = moving;
    endMoving();
    if (to) {
      event.preventDefault();
      move(chosen, to);
      return;
    }
    if (event.key === "Escape") return;
  }
  if (event.key === "n") {
    event.preventDefault();
    openAdd();
    return;
  }
  if (event.key === "m" && card) {
    event.preventDefault();
    moving = card;
    card.toggleAttribute("data-chosen", true);
    hold(true);
    say("Move to: b backlog, r ready, i in progress, x blocked, d done");
    return;
  }
  const way = ways[event.key];
  if (!way) return;
  if (event.shiftKey && card && (way === "left" || way === "right")) {
    event.preventDefault();
    const all = columns().map((column) => column.dataset.status);
    const to = all[all.indexOf(card.dataset.status) + (way === "left" ? -1 : 1)];
    if (to) move(card, to);
    return;
  }
  // Arrows scroll the page until somebody is on the board.
  if (!card && event.key.startsWith("Arrow")) return;
  event.preventDefault();
  go(card, way);
});

function endMoving() {
  moving?.removeAttribute("data-chosen");
  moving = null;
  hold(false);
}

function go(card, way) {
  if (!card) {
    focus(document.querySelector(".card"));
    return;
  }
  const column = card.closest(".column");
  const here = cardsOf(column);
  const at = here.indexOf(card);
  if (way === "up" || way === "down") {
    focus(here[at + (way === "up" ? -1 : 1)]);
    return;
  }
  const all = columns();
  const step = way === "left" ? -1 : 1;
  for (let next = all.indexOf(column) + step; all[next]; next += step) {
    const there = cardsOf(all[next]);
    if (there.length) {
      focus(there[Math.min(at, there.length - 1)]);
      return;
    }
  }
}

// The mouse. By pointer events: a card follows the pointer, and columns say that they would take it.

let drag = null;

document.addEventListener("pointerdown", (event) => {
  const card = event.target.closest(".card");
  if (!card || !board?.contains(card) || event.button !== 0 || event.pointerType === "touch") return;
  drag = { card, x: event.clientX, y: event.clientY, ghost: null, over: null };
});

document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.ghost) {
    if (Math.hypot(dx, dy) < 6) return;
    lift();
  }
  drag.ghost.style.transform = `translate(${dx}px, ${dy}px)`;
  const over = document.elementFromPoint(event.clientX, event.clientY)?.closest(".column[data-status]") ?? null;
  if (over !== drag.over) {
    drag.over?.removeAttribute("data-over");
    drag.over = over;
    if (over && over.dataset.status !== drag.card.dataset.status) over.setAttribute("data-over", "");
  }
});

function lift() {
  hold(true);
  getSelection()?.removeAllRanges();
  const box = drag.card.getBoundingClientRect();
  const ghost = drag.card.cloneNode(true);
  for (const part of [ghost, ...ghost.querySelectorAll("[id]")]) part.removeAttribute("id");
  ghost.classList.add("ghost");
  ghost.style.width = `${box.width}px`;
  ghost.style.left = `${box.left}px`;
  ghost.style.top = `${box.top}px`;
  document.body.append(ghost);
  document.body.setAttribute("data-dragging", "");
  drag.card.toggleAttribute("data-lifted", true);
  drag.ghost = ghost;
}

function lay() {
  const { card, ghost, over } = drag;
  drag = null;
  over?.removeAttribute("data-over");
  if (!ghost) return null;
  ghost.remove();
  document.body.removeAttribute("data-dragging");
  card.removeAttribute("data-lifted");
  hold(false);
  // The click that ends a drag opens nothing.
  const swallow = (event) => event.preventDefault();
  addEventListener("click", swallow, { once: true, capture: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }));
  return { card, over };
}

document.addEventListener("pointerup", () => {
  if (!drag) return;
  const moved = lay();
  if (moved?.over) move(moved.card, moved.over.dataset.status);
});
document.addEventListener("pointercancel", () => drag && lay());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drag?.ghost) lay();
});

// Adding.

const add = document.getElementById("add");

function openAdd() {
  add.open = true;
  add.querySelector("[name=title]").focus();
}

add?.addEventListener("toggle", () => {
  if (add.open) add.querySelector("[name=title]").focus();
});

add?.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const fields = Object.fromEntries(new FormData(form));
  delete fields.back;
  const button = form.querySelector("button");
  button.disabled = true;
  const done = await act("task.add", fields);
  button.disabled = false;
  if (!done.ok) {
    refused(done.problem);
    return;
  }
  const { project, status } = fields;
  form.reset();
  form.elements.project.value = project;
  form.elements.status.value = status;
  add.open = false;
  await refresh();
  const id = done.answer.task_id ?? done.answer.task?.task_id;
  const card = id && document.getElementById(`card-${id}`);
  if (card) focus(card);
  else add.querySelector("summary").focus();
  toast({ title: `Added: ${fields.title}`, hint: card ? undefined : "the filters hide it" });
});

// On a phone: which column is in view.

const tabs = new Map([...document.querySelectorAll(".column-tabs a")].map((tab) => [tab.dataset.column, tab]));
if (board && tabs.size) {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const tab = tabs.get(target.dataset.status);
        if (!isIntersecting || !tab) continue;
        for (const other of tabs.values()) other.removeAttribute("aria-current");
        tab.setAttribute("aria-current", "true");
      }
    },
    { root: board, threshold: 0.6 },
  );
  for (const column of columns()) seen.observe(column);
}
