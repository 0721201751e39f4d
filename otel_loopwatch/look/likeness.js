// Which calls of a run are alike.

// What a call shows of its likeness to others, from the strongest on: the same call with the same result, the same
// answer to another request, the same call with another result. What is alike has one letter and one colour.
const LIKENESS = [
  { name: "filled", text: "Same call and result", letter: (text) => text },
  { name: "ring", text: "Same answer", letter: (text) => text.toLowerCase() },
  { name: "tint", text: "Same call, other result", letter: (text) => `${text}′` },
];
export const HUES = 8;

// A, B, .. Z, AA, AB, ..
function letters(number) {
  const last = String.fromCharCode(65 + (number % 26));
  return number < 26 ? last : letters(Math.floor(number / 26) - 1) + last;
}

function grouped(keys) {
  const groups = new Map();
  keys.forEach((key, index) => {
    if (key === null) return;
    if (groups.has(key)) groups.get(key).push(index);
    else groups.set(key, [index]);
  });
  return groups;
}

// Numbers of what is alike, as they were given: whoever keeps it for a run that grows keeps its letters.
export class Numbering {
  #used = LIKENESS.map(() => new Map());
  #next = 0;

  of(keys, level) {
    const number = this.#used[level].get(keys[level]) ?? this.#lent(keys, level) ?? this.#next++;
    for (let at = level; at < keys.length; at++) if (!this.#used[at].has(keys[at])) this.#used[at].set(keys[at], number);
    return number;
  }

  // A number that the same answer, or the same request, has already, unless another such call goes by it.
  #lent(keys, level) {
    const taken = new Set(this.#used[level].values());
    return keys.map((key, at) => (at > level ? this.#used[at].get(key) : undefined)).find((number) => number !== undefined && !taken.has(number));
  }
}

// How each call is marked, null where it is like no other. The keys of a call: of the call with its result, of the
// answer, of the request; null is unknown and equals nothing.
export function marked(calls, numbering = new Numbering()) {
  const groups = LIKENESS.map((_, at) => grouped(calls.map((keys) => keys[at])));
  return calls.map((keys) => {
    const level = keys.findIndex((key, at) => groups[at].get(key)?.length > 1);
    if (level < 0) return null;
    const number = numbering.of(keys, level);
    const { name, text, letter } = LIKENESS[level];
    return { name, text, number, letter: letter(letters(number)), alike: groups[level].get(keys[level]) };
  });
}
