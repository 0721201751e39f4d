// The data as it was written into the page, and which calls of a run are alike.

const data = JSON.parse(document.getElementById("data").textContent);
const COLUMN = Object.fromEntries(data.columns.map((name, index) => [name, index]));
const RANK = { none: 0, warning: 1, critical: 2 };

const field = (call, name) => call[COLUMN[name]];
const toolOf = (call) => data.tools[field(call, "tool")];

const runs = data.runs.map((raw, number) => ({
  ...raw,
  number,
  name: data.files.length > 1 ? `${raw.id} (${data.files[raw.file]})` : raw.id,
  text: `${raw.id}\n${raw.agent ?? ""}\n${data.files[raw.file]}`.toLowerCase(),
  tools: new Set(raw.calls.map((call) => field(call, "tool"))),
  rank: raw.loops.reduce((worst, loop) => Math.max(worst, RANK[loop.level]), RANK.none),
}));

const LIKENESS_KEYS = ["call", "answer", "request"];

function marksOf(run) {
  run.marks ??= marked(run.calls.map((call) => LIKENESS_KEYS.map((key) => field(call, key)))).map(coloured);
  return run.marks;
}

const coloured = (mark) => mark && { ...mark, hue: mark.number % HUES };
