// The data as it was written into the page, and which calls of a run are alike.

const data = JSON.parse(document.getElementById("data").textContent);
const COLUMN = Object.fromEntries(data.columns.map((name, index) => [name, index]));
const RANK = { none: 0, warning: 1, critical: 2 };
const HUES = 8;

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

// A, B, .. Z, AA, AB, ..
function letters(number) {
  const last = String.fromCharCode(65 + (number % 26));
  return number < 26 ? last : letters(Math.floor(number / 26) - 1) + last;
}

function grouped(calls, name) {
  const groups = new Map();
  calls.forEach((call, index) => {
    const key = field(call, name);
    if (key === null) return;
    if (groups.has(key)) groups.get(key).push(index);
    else groups.set(key, [index]);
  });
  return groups;
}

// What a call shows of its likeness to others, from the strongest on: the same call with the same result, the same
// answer to another request, the same call with another result. What is alike has one letter and one colour.
const LIKENESS = [
  { name: "filled", key: "call", letter: (text) => text },
  { name: "ring", key: "answer", letter: (text) => text.toLowerCase() },
  { name: "tint", key: "request", letter: (text) => `${text}′` },
];

function marksOf(run) {
  if (run.marks) return run.marks;
  const groups = LIKENESS.map(({ key }) => grouped(run.calls, key));
  const used = LIKENESS.map(() => new Map());
  let next = 0;
  run.marks = run.calls.map((call) => {
    const keys = LIKENESS.map(({ key }) => field(call, key));
    const level = keys.findIndex((key, at) => groups[at].get(key)?.length > 1);
    if (level < 0) return null;
    const number = used[level].get(keys[level]) ?? lent(used, level, keys) ?? next++;
    for (let at = level; at < keys.length; at++) if (!used[at].has(keys[at])) used[at].set(keys[at], number);
    const { name, letter } = LIKENESS[level];
    return { name, letter: letter(letters(number)), hue: number % HUES, alike: groups[level].get(keys[level]) };
  });
  return run.marks;
}

// A number that the same answer, or the same request, has already, unless another such call goes by it.
function lent(used, level, keys) {
  const taken = new Set(used[level].values());
  return keys.map((key, at) => (at > level ? used[at].get(key) : undefined)).find((number) => number !== undefined && !taken.has(number));
}
