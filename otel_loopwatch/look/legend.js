// How to read the page.

import { element } from "./words.js";

const BEADS = [
  ["filled hue-0", "A", "the same call with the same result: same letter, same colour, within its run"],
  ["ring hue-1", "b", "the same answer to another request"],
  ["tint hue-2", "C′", "the same call with another result"],
  ["single", "", "came only once"],
  ["filled hue-6 failed", "D", "square: the call failed"],
  ["single weak", "", "dashed: empty, pending or unknown"],
];

// `words` are sentences that say the rest.
export function fillLegend(box, words) {
  const samples = BEADS.map(([classes, letter, text]) =>
    element("li", {}, element("span", { class: `bead sample ${classes}`, "aria-hidden": "true" }, letter), text),
  );
  box.append(element("ul", { class: "samples" }, ...samples), ...words.map((text) => element("p", {}, text)));
}
