// A drawing that can be moved and zoomed: by wheel, fingers, mouse and keys. Without scripts it is
// scrolled. The drawing itself is not touched, only the sheet it lies on, so that it can be live.

import { isTyping } from "./app.js";

const LEAST = 0.1;
const MOST = 3;
const STEP = 1.25;
const STRIDE = 80;
/** Smaller than this nothing is shown at first, and where not all fits so large, its text is read with ease. */
const SMALLEST = 0.5;
const LEGIBLE = 0.6;
/** The space beside what is shown at first, and that of the drawing around its tasks. */
const MARGIN = 12;
const EDGE = 12;
/** Less than this is a click, not a drag. */
const SLIP = 5;

function take(frame) {
  const sheet = frame.querySelector(".pan-sheet");
  const tools = frame.querySelector(".pan-tools");
  if (!sheet) return;
  frame.dataset.pan = "on";
  if (tools) tools.hidden = false;

  let [x, y, scale] = [0, 0, 1];

  // By a rule of our own: no page has styles in its elements.
  const rules = new CSSStyleSheet();
  rules.insertRule(`#${CSS.escape(frame.id)} > .pan-sheet {}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, rules];
  const show = () => {
    rules.cssRules[0].style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
  };

  /** Zooms around a point of the frame. */
  const zoom = (by, atX = frame.clientWidth / 2, atY = frame.clientHeight / 2) => {
    const next = Math.min(MOST, Math.max(LEAST, scale * by));
    x = atX - ((atX - x) * next) / scale;
    y = atY - ((atY - y) * next) / scale;
    scale = next;
    show();
  };

  /** The size of the drawing, and the scale at which all of it is seen. */
  const size = () => {
    const drawing = sheet.querySelector("svg");
    const [width, height] = drawing ? [drawing.width.baseVal.value, drawing.height.baseVal.value] : [1, 1];
    return { width, height, whole: Math.min(frame.clientWidth / width, frame.clientHeight / height, 1) };
  };

  const all = () => {
    const { width, height, whole } = size();
    scale = Math.max(LEAST, whole);
    x = (frame.clientWidth - width * scale) / 2;
    y = (frame.clientHeight - height * scale) / 2;
    show();
  };

  /** What would be too small to read is shown in part: where open work holds something up. No task is cut in two. */
  const begin = () => {
    const { width, height, whole } = size();
    if (whole >= SMALLEST) return all();
    const tasks = [...sheet.querySelectorAll("a.task > svg")].map((task) => ({
      left: task.x.baseVal.value,
      top: task.y.baseVal.value,
      width: task.width.baseVal.value,
      height: task.height.baseVal.value,
      holds: task.parentElement.classList.contains("blocker"),
    }));
    const columns = [...new Set(tasks.map((task) => task.left))].sort((one, other) => one - other);
    const wide = tasks[0]?.width ?? width;
    const pitch = (columns.find((left) => left - columns[0] >= wide) ?? width) - (columns[0] ?? 0);
    // As many columns as can be read, over the whole width.
    const room = frame.clientWidth - 2 * MARGIN;
    const shown = Math.max(1, Math.floor((room / LEGIBLE - wide) / pitch) + 1);
    scale = Math.min(1, room / (wide + (shown - 1) * pitch));
    // The one that is most in the middle of all that hold something up: others are likely to be around it.
    const at = tasks.filter((task) => task.holds);
    const mean = (side) => at.reduce((sum, one) => sum + one[side], 0) / at.length;
    const far = (one) => Math.hypot(one.left - mean("left"), one.top - mean("top"));
    const middle = at.sort((one, other) => far(one) - far(other))[0] ?? { left: 0, top: 0, height: 0 };
    const first = Math.min(columns.indexOf(middle.left), columns.length - shown);
    // The drawing has a margin of its own around the first column and the first row.
    x = MARGIN - (Math.max(0, columns[Math.max(0, first)] ?? 0) + EDGE) * scale;
    const within = (wish, space, length) => Math.min(0, Math.max(space - length, wish)) + Math.max(0, (space - length) / 2);
    const wish = frame.clientHeight / 2 - (middle.top + middle.height / 2 + EDGE) * scale;
    y = within(wish, frame.clientHeight, height * scale);
    show();
  };

  frame.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      const lines = event.deltaMode === 1 ? 16 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        x -= (event.deltaX || event.deltaY) * lines;
        show();
      } else {
        zoom(Math.exp(-event.deltaY * lines * 0.0015), event.clientX - box.left, event.clientY - box.top);
      }
    },
    { passive: false },
  );

  // One pointer moves, two zoom.
  const down = new Map();
  let dragged = false;

  frame.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest(".pan-tools")) return;
    if (down.size === 0) dragged = false;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  frame.addEventListener("pointermove", (event) => {
    const last = down.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    if (!dragged && Math.hypot(dx, dy) < SLIP) return;
    if (!dragged) {
      dragged = true;
      for (const id of down.keys()) frame.setPointerCapture(id);
      frame.dataset.dragging = "";
    }
    if (down.size === 2) {
      const [other] = [...down].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      const box = frame.getBoundingClientRect();
      if (before > 0) zoom(after / before, (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
    } else {
      x += dx;
      y += dy;
      show();
    }
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  for (const end of ["pointerup", "pointercancel"]) {
    frame.addEventListener(end, (event) => {
      down.delete(event.pointerId);
      if (down.size === 0) delete frame.dataset.dragging;
    });
  }
  // The end of a drag opens nothing.
  frame.addEventListener(
    "click",
    (event) => {
      if (dragged && !event.target.closest(".pan-tools")) {
        event.preventDefault();
        event.stopPropagation();
      }
      dragged = false;
    },
    true,
  );
  frame.addEventListener("dragstart", (event) => event.preventDefault());

  tools?.addEventListener("click", (event) => {
    const what = event.target.closest("[data-zoom]")?.dataset.zoom;
    if (what === "in") zoom(STEP);
    else if (what === "out") zoom(1 / STEP);
    else if (what === "fit") all();
  });

  // A task that is reached by the keyboard comes into view.
  frame.addEventListener("focusin", (event) => {
    const link = event.target.closest?.("a");
    if (!link || !event.target.matches(":focus-visible")) return;
    frame.scrollTo(0, 0);
    const [box, at] = [frame.getBoundingClientRect(), link.getBoundingClientRect()];
    if (at.left < box.left) x += box.left - at.left + 24;
    else if (at.right > box.right) x -= at.right - box.right + 24;
    if (at.top < box.top) y += box.top - at.top + 24;
    else if (at.bottom > box.bottom) y -= at.bottom - box.bottom + 24;
    show();
  });

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (document.querySelector("dialog[open]")) return;
    const isHere = frame.contains(document.activeElement);
    const moves = { ArrowLeft: [STRIDE, 0], ArrowRight: [-STRIDE, 0], ArrowUp: [0, STRIDE], ArrowDown: [0, -STRIDE] };
    if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") all();
    else if (isHere && moves[event.key]) {
      x += moves[event.key][0];
      y += moves[event.key][1];
      show();
    } else return;
    event.preventDefault();
  });

  begin();
}

for (const frame of document.querySelectorAll("[data-pan]")) take(frame);
