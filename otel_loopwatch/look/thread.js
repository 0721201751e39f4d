// Beads on a thread, under the brackets of loops.

import { BEAD, LANE } from "./layout.js";
import { LEVEL_SIGN, element } from "./words.js";

const FAILED = new Set(["retryable", "precondition", "fatal"]);
const LONG_GAP_MS = 30e3;

// `bead` makes the bead of a call, by its index.
export function drawLine(line, layout, bead) {
  const drawn = element("div", { class: "line" });
  drawn.style.top = `${line.top}px`;
  drawn.style.height = `${line.beads + BEAD}px`;
  const thread = element("div", { class: "thread" });
  Object.assign(thread.style, { top: `${line.beads + BEAD / 2 - 1}px`, width: `${layout.places[line.last].x + BEAD / 2}px` });
  drawn.append(thread, ...line.brackets.map((piece) => drawBracket(piece, layout)));
  for (let index = line.first; index <= line.last; index++) drawn.append(...withGap(bead(index), index, line, layout));
  return drawn;
}

function withGap(bead, index, line, layout) {
  const place = layout.places[index];
  Object.assign(bead.style, { left: `${place.x}px`, top: `${line.beads}px` });
  if (place.gap < LONG_GAP_MS || index === line.first) return [bead];
  const gap = element("span", { class: "gap", "aria-hidden": "true" }, shortGap(place.gap));
  const before = layout.places[index - 1].x + BEAD;
  Object.assign(gap.style, { left: `${before}px`, width: `${place.x - before}px`, top: `${line.beads}px` });
  return [gap, bead];
}

function shortGap(ms) {
  if (ms < 60e3) return `${Math.round(ms / 1000)}s`;
  if (ms < 3600e3) return `${Math.round(ms / 60e3)}m`;
  return ms < 48 * 3600e3 ? `${Math.round(ms / 3600e3)}h` : `${Math.round(ms / 86400e3)}d`;
}

const BEAD_PATTERN = element("button", { type: "button", tabindex: "-1" });

// Hundreds of these are drawn in a frame, so they are copied, have one text and no children.
export function drawBead(index, mark, outcome, label) {
  const bead = BEAD_PATTERN.cloneNode(false);
  bead.className = `bead ${mark ? `${mark.name} hue-${mark.hue}` : "single"}${FAILED.has(outcome) ? " failed" : outcome === "success" ? "" : " weak"}`;
  bead.dataset.call = index;
  bead.ariaLabel = label;
  if (mark) bead.textContent = mark.letter;
  return bead;
}

function drawBracket(piece, layout) {
  const { loop } = piece;
  const classes = ["bracket", loop.level, piece.opens && "opens", piece.closes && "closes"].filter(Boolean).join(" ");
  const label = element("span", { class: "label" }, `${LEVEL_SIGN[loop.level]} ${piece.label}`);
  const drawn = element(
    "button",
    {
      type: "button",
      class: classes,
      tabindex: "-1",
      "data-loop": piece.number,
      "aria-label": `${loop.kind} loop, ${loop.level}, calls ${loop.first} to ${loop.last}`,
    },
    label,
    ...loop.signals.map((signal) => drawFlag(signal, piece, layout)),
  );
  Object.assign(drawn.style, { left: `${piece.left}px`, width: `${piece.right - piece.left}px`, top: `${piece.lane * LANE}px` });
  label.style.left = `${piece.start - piece.left}px`;
  label.style.maxWidth = `${layout.width}px`;
  return drawn;
}

// Where the loop was signalled.
function drawFlag(signal, piece, layout) {
  const place = layout.places[signal.call - 1];
  if (!place || layout.lines[place.line].brackets.indexOf(piece) < 0) return null;
  const flag = element("i", { class: signal.level });
  flag.style.left = `${place.x + BEAD / 2 - piece.left}px`;
  return flag;
}
