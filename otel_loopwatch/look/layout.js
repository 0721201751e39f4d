// Where everything of a run lies: lines of beads, and above each line the brackets of its loops.

export const BEAD = 22;
const SPACE = 7;
const SIBLING = 1; // calls of one response stick together
const LONGEST_PAUSE = 30;
export const LANE = 21;
const BETWEEN_LINES = 9;
const LETTER = 6.3; // width of a letter of a bracket's label, about

// Time between two calls as extra thread: seconds show a little, minutes clearly, hours no more than that.
function pause(ms) {
  return ms > 1000 ? Math.min(LONGEST_PAUSE, 5 * Math.log2(1 + ms / 5000)) : 0;
}

const TOOLS_NAMED = 2;
const NAME_LENGTH = 24;

function labelOf(loop) {
  const named = loop.tools.slice(0, TOOLS_NAMED).map((tool) => (tool.length > NAME_LENGTH ? `${tool.slice(0, NAME_LENGTH - 1)}…` : tool));
  const more = loop.tools.length - named.length;
  return `${loop.kind} ${loop.level} ×${loop.signals.at(-1).count} ${named.join(", ")}${more ? ` +${more}` : ""}`;
}

// Calls have `at` in ms and `attempt`, which siblings of one response share (null: unknown). Loops have `first` and
// `last`, calls counted from 1, and their `signals`. `top` is where the first line begins.
export function layoutOf(calls, loops, width, top = 0) {
  const { places, lines } = strung(calls, width);
  loops.forEach((loop, number) => bracket(loop, number, places, lines, width));
  for (const line of lines) {
    line.top = top;
    line.beads = line.lanes.length * LANE;
    line.height = line.beads + BEAD + BETWEEN_LINES;
    top += line.height;
  }
  return { width, places, lines, bottom: top };
}

function strung(calls, width) {
  const places = [];
  const lines = [];
  let x = 0;
  calls.forEach((call, index) => {
    const gap = index ? call.at - calls[index - 1].at : 0;
    const sibling = index > 0 && call.attempt !== null && call.attempt === calls[index - 1].attempt;
    x += BEAD + (sibling ? SIBLING : SPACE + pause(gap));
    if (!lines.length || x + BEAD > width) {
      lines.push({ first: index, last: index, lanes: [], brackets: [] });
      x = 0;
    }
    lines.at(-1).last = index;
    places.push({ line: lines.length - 1, x, gap: sibling ? 0 : gap });
  });
  return { places, lines };
}

// One bracket per line that the loop touches, in the first lane that is free there.
function bracket(loop, number, places, lines, width) {
  const first = Math.min(loop.first, places.length) - 1;
  const last = Math.min(loop.last, places.length) - 1;
  if (first < 0) return;
  for (let at = places[first].line; at <= places[last].line; at++) {
    const line = lines[at];
    const opens = at === places[first].line;
    const closes = at === places[last].line;
    const left = opens ? places[first].x : 0;
    const right = (closes ? places[last].x : places[line.last].x) + BEAD;
    const label = opens ? labelOf(loop) : `… ${loop.kind}`;
    const wide = Math.min(width, label.length * LETTER + 18);
    const start = Math.max(0, Math.min(left, width - wide));
    let lane = line.lanes.findIndex((taken) => taken.every(([from, to]) => to + 6 < start || from > Math.max(right, start + wide) + 6));
    if (lane < 0) lane = line.lanes.push([]) - 1;
    line.lanes[lane].push([Math.min(start, left), Math.max(right, start + wide)]);
    line.brackets.push({ loop, number, lane, left, right, opens, closes, label, start });
  }
}
