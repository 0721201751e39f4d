// The list of runs: rows of one height, of which only those are in the document that can be seen.

import { agentOf, named, signOf } from "./names.js";
import { ago } from "./times.js";
import { counted, element } from "./words.js";

const ROW = 56;
const AROUND = 4; // rows drawn above and below what can be seen
const PAGE = 10;

const box = document.getElementById("list");
const spacer = element("div", { role: "presentation" });
const rows = new Map(); // run -> its row
let shown = [];
let places = new Map(); // run -> its place in the list
let opened = "";
let focused = ""; // run whose row has, or gets, the keyboard
let open = () => {};
let scheduled = false;

export function listRuns(onOpen) {
  open = onOpen;
  box.append(spacer);
  box.addEventListener("scroll", schedule, { passive: true });
  box.addEventListener("keydown", keyed);
  box.addEventListener("click", (event) => {
    const row = event.target.closest(".run");
    if (row) chosen(row.dataset.run);
  });
  box.addEventListener("focusin", (event) => {
    const row = event.target.closest(".run");
    if (row) focused = row.dataset.run;
  });
  new ResizeObserver(schedule).observe(box);
}

// What is looked at stays where it is, whatever comes above it.
export function showRuns(runs, run) {
  const anchor = box.scrollTop > 0 ? shown[Math.ceil(box.scrollTop / ROW)]?.run : undefined;
  const before = places.get(anchor);
  shown = runs;
  places = new Map(runs.map((one, at) => [one.run, at]));
  opened = run;
  if (!places.has(focused)) focused = places.has(opened) ? opened : (shown[0]?.run ?? "");
  spacer.style.height = `${runs.length * ROW}px`;
  if (places.has(anchor)) box.scrollTop += (places.get(anchor) - before) * ROW;
  render();
}

export function focusList() {
  if (!shown.length) return;
  reveal(places.get(focused));
  rows.get(focused).focus({ preventScroll: true });
}

function schedule() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    render();
  });
}

function render() {
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - AROUND);
  const last = Math.min(shown.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + AROUND);
  const wanted = new Set(Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at));
  if (places.has(focused)) wanted.add(places.get(focused));
  const kept = new Set([...wanted].map((at) => shown[at].run));
  for (const [run, row] of rows) if (!kept.has(run)) drop(run, row);
  [...wanted].sort((one, other) => one - other).forEach(place);
}

function drop(run, row) {
  row.remove();
  rows.delete(run);
}

// In the document rows stand in their order, for those who do not see where they lie.
function place(at, index) {
  const brief = shown[at];
  if (!rows.has(brief.run)) rows.set(brief.run, element("div", { class: "run", role: "option", "data-run": brief.run }));
  const row = rows.get(brief.run);
  row.style.top = `${at * ROW}px`;
  row.tabIndex = brief.run === focused ? 0 : -1;
  row.ariaSelected = String(brief.run === opened);
  row.ariaPosInSet = at + 1;
  row.ariaSetSize = shown.length;
  fill(row, brief);
  if (box.children[index + 1] !== row) moveTo(row, index + 1);
}

// A row that is moved loses the keyboard.
function moveTo(row, index) {
  const held = document.activeElement === row;
  box.insertBefore(row, box.children[index] ?? null);
  if (held) row.focus({ preventScroll: true });
}

function fill(row, brief) {
  const when = ago(brief.last);
  const drawn = `${brief.version} ${when}`;
  if (row.dataset.drawn === drawn) return;
  row.dataset.drawn = drawn;
  row.dataset.state = brief.state;
  row.dataset.level = brief.loop?.level ?? "";
  const name = element("span", { class: "name" }, element("b", {}, named(agentOf(brief))), " ", named(brief.run));
  const state = element("span", { class: "state" }, `${signOf(brief)} ${wordOf(brief)}`, ...more(brief));
  const facts = [counted(brief.calls, "call"), brief.wasted_calls > 0 && `${brief.wasted_calls} wasted`];
  row.replaceChildren(
    element("span", { class: "above" }, name, element("span", { class: "quiet" }, when)),
    element("span", { class: "beneath" }, state, element("span", { class: "quiet" }, facts.filter(Boolean).join(", "))),
  );
}

// A loop says by itself that the run is looping.
const wordOf = ({ state, loop }) => (state === "looping" && loop ? "" : state);

function more({ state, loop, decision }) {
  if (state === "halted" && decision) return [" by ", named(decision.by ?? "loopwatch", 40)];
  if (!loop || state !== "looping") return loop ? [`, was in a loop: ${loop.kind}`] : [];
  return [` ${loop.kind} ${loop.level} ×${loop.count} `, named(loop.tools.join(", "))];
}

const MOVES = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at) => at + PAGE,
  PageUp: (at) => at - PAGE,
  Home: () => 0,
  End: () => shown.length - 1,
};

function keyed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !shown.length) return;
  if (event.key === "Enter" || event.key === " ") chosen(focused);
  else if (MOVES[event.key]) focused = shown[bounded(MOVES[event.key](places.get(focused)))].run;
  else return;
  event.preventDefault();
  if (MOVES[event.key]) focusList();
}

const bounded = (at) => Math.max(0, Math.min(shown.length - 1, at));

function chosen(run) {
  focused = run;
  open(run);
}

function reveal(at) {
  const top = at * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
  render();
}
