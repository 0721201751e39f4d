// Elements, and numbers and durations in words.

export const LEVEL_SIGN = { warning: "▲", critical: "■" };

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "class") made.className = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// Terms and what they say; a value that is not known is left out.
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined);
  return element("dl", {}, ...known.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

export function told(signal, title) {
  const head = element("h3", {}, `${LEVEL_SIGN[signal.level]} ${title}`);
  const advice = element("p", { class: "advice" }, element("b", {}, "Advice to the model. "), signal.advice);
  return element("section", { class: `told ${signal.level}` }, head, element("p", {}, signal.reason), advice);
}

// A call in a sentence or two: its place, its likeness to others, the signals at it.
export function described(place, call, mark, signals) {
  const parts = [`${place}: ${call.tool}, ${call.outcome}`];
  if (mark) parts.push(`${mark.letter}, ${mark.text.toLowerCase()}: ${counted(mark.alike.length - 1, "other call")}`);
  for (const signal of signals) parts.push(`signal: ${signal.kind} ${signal.level}`);
  return parts.join(". ");
}

export function fingerprint(hex) {
  return hex === null ? "unknown" : element("code", {}, hex);
}

export const NUMBERS = new Intl.NumberFormat("en");

export function counted(number, one, many = `${one}s`) {
  return `${NUMBERS.format(number)} ${number === 1 ? one : many}`;
}

export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60e3) return `${+(ms / 1000).toFixed(1)} s`;
  if (ms < 3600e3) return `${Math.floor(ms / 60e3)} min ${Math.round((ms % 60e3) / 1000)} s`;
  if (ms < 48 * 3600e3) return `${Math.floor(ms / 3600e3)} h ${Math.round((ms % 3600e3) / 60e3)} min`;
  return `${Math.round(ms / 86400e3)} days`;
}
