// Times are told from now, and now goes on.

function relative(then) {
  const seconds = Math.floor((Date.now() - then) / 1000);
  const far = Math.abs(seconds);
  const [count, unit] =
    far < 60 ? [far, "s"] : far < 3600 ? [far / 60, "m"] : far < 172800 ? [far / 3600, "h"] : [far / 86400, "d"];
  if (seconds === 0) return "now";
  return seconds > 0 ? `${Math.floor(count)}${unit} ago` : `in ${Math.floor(count)}${unit}`;
}

/** Brings the times of a document up to date. */
export function tellTimes(within = document) {
  const times = (within.querySelectorAll ? within : document).querySelectorAll("time[data-from-now]");
  for (const time of times) {
    const then = Date.parse(time.dateTime);
    const text = Number.isFinite(then) ? relative(then) : time.textContent;
    if (time.textContent !== text) time.textContent = text;
  }
}
