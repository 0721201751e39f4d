// Words and elements.

const LEVEL_SIGN = { warning: "▲", critical: "■" };
const ALIKE = {
  filled: "Same call and result",
  ring: "Same answer",
  tint: "Same call, other result",
};
const BROUGHT = {
  new: "something new",
  change: "a change of state",
  known: "nothing new: an answer that was known",
  stale: "nothing new: tried before, and nothing has changed since",
  unjudged: "not judged: the tool is ignored",
};

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "class") made.className = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const NUMBERS = new Intl.NumberFormat("en");

function counted(number, one, many = `${one}s`) {
  return `${NUMBERS.format(number)} ${number === 1 ? one : many}`;
}

function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60e3) return `${+(ms / 1000).toFixed(1)} s`;
  if (ms < 3600e3) return `${Math.floor(ms / 60e3)} min ${Math.round((ms % 60e3) / 1000)} s`;
  if (ms < 48 * 3600e3) return `${Math.floor(ms / 3600e3)} h ${Math.round((ms % 3600e3) / 60e3)} min`;
  return `${Math.round(ms / 86400e3)} days`;
}

function lasted(run) {
  const last = run.calls.at(-1);
  return last ? Math.max(0, field(last, "start_ms") + field(last, "took_ms")) : 0;
}

const signalsAt = (run, index) =>
  run.loops.flatMap((loop) => loop.signals.filter((signal) => signal.call === index + 1).map((signal) => ({ ...signal, kind: loop.kind })));

function described(run, index) {
  const call = run.calls[index];
  const mark = marksOf(run)[index];
  const parts = [`Call ${index + 1} of ${run.calls.length}: ${toolOf(call)}, ${field(call, "outcome")}`];
  if (mark) {
    const others = counted(mark.alike.length - 1, "other call");
    parts.push(`${mark.letter}, ${ALIKE[mark.name].toLowerCase()}: ${others}`);
  }
  for (const signal of signalsAt(run, index)) parts.push(`signal: ${signal.kind} ${signal.level}`);
  return parts.join(". ");
}
