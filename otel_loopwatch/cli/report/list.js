// The list of runs: only what can be seen is in the document, so that its length does not matter.

const list = document.getElementById("list");
const AROUND = 150; // pixels drawn above and below what can be seen
const spacer = element("div", { class: "spacer", role: "presentation" });
const onScreen = new Map(); // run -> { row, lines: Map(line -> element) }
let shown = [];
let tops = [0];
let active = null; // { run, call }, the call that has the keyboard
let highlighted = null; // tool that the filter asks for
let scheduled = false;

list.append(spacer);
list.addEventListener("scroll", schedule, { passive: true });
list.addEventListener("click", (event) => {
  const row = event.target.closest(".run");
  const bead = event.target.closest(".bead");
  const loop = event.target.closest(".bracket");
  if (bead) select(runs[row.dataset.run], Number(bead.dataset.call));
  else if (loop) selectLoop(runs[row.dataset.run], runs[row.dataset.run].loops[loop.dataset.loop]);
});

list.addEventListener("pointerover", (event) => {
  const bead = event.target.closest(".bead");
  if (bead) bead.title = bead.ariaLabel;
});

function showRuns(chosen) {
  shown = chosen;
  list.scrollTop = 0;
  if (!active || !shown.includes(active.run)) {
    const first = shown.find((run) => run.calls.length);
    active = first ? { run: first, call: 0 } : null;
  }
  relayout();
}

function relayout() {
  const width = lineWidth();
  tops = [0];
  for (const run of shown) tops.push(tops.at(-1) + laidOut(run, width).bottom + FOOT);
  spacer.style.height = `${tops.at(-1)}px`;
  for (const { row } of onScreen.values()) row.remove();
  onScreen.clear();
  render();
}

function lineWidth() {
  const style = getComputedStyle(list);
  return Math.max(BEAD, list.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16);
}

function schedule() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    render();
  });
}

function firstBelow(y) {
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tops[middle + 1] <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

function render() {
  const from = list.scrollTop - AROUND;
  const to = list.scrollTop + list.clientHeight + AROUND;
  const wanted = new Set();
  for (let at = firstBelow(from); at < shown.length && tops[at] < to; at++) wanted.add(at);
  const focused = active ? shown.indexOf(active.run) : -1;
  if (focused >= 0) wanted.add(focused);
  for (const [run, { row }] of onScreen) {
    if (wanted.has(run.at)) continue;
    row.remove();
    onScreen.delete(run);
  }
  for (const at of wanted) renderRun(at, from - tops[at], to - tops[at]);
}

function renderRun(at, from, to) {
  const run = shown[at];
  const layout = run.layout;
  run.at = at;
  if (!onScreen.has(run)) onScreen.set(run, { row: placed(run, at), lines: new Map() });
  const { row, lines } = onScreen.get(run);
  const kept = active?.run === run ? layout.places[active.call].line : -1;
  layout.lines.forEach((line, index) => {
    const visible = index === kept || (line.top + line.height > from && line.top < to);
    if (visible === lines.has(index)) return;
    if (visible) {
      lines.set(index, drawLine(line, layout, (call) => drawCall(run, call)));
      row.append(lines.get(index));
      decorate(run, lines.get(index));
    } else {
      lines.get(index).remove();
      lines.delete(index);
    }
  });
}

function placed(run, at) {
  const row = drawRun(run, run.layout);
  row.style.top = `${tops[at]}px`;
  row.dataset.run = run.number;
  row.setAttribute("aria-posinset", at + 1);
  row.setAttribute("aria-setsize", shown.length);
  const next = [...onScreen.keys()].filter((other) => other.at > at).sort((one, other) => one.at - other.at)[0];
  list.insertBefore(row, next ? onScreen.get(next).row : null);
  return row;
}

// What depends on the selection and the filter, on beads that are there.
function decorate(run, within) {
  const selected = active?.run === run ? active.call : -1;
  const mark = selected >= 0 && !panel.hidden ? marksOf(run)[selected] : null;
  const alike = new Set(mark?.alike);
  for (const bead of within.getElementsByClassName("bead")) {
    const index = Number(bead.dataset.call);
    toggle(bead, "active", index === selected && !panel.hidden);
    toggle(bead, "alike", alike.has(index));
    toggle(bead, "other", highlighted !== null && field(run.calls[index], "tool") !== highlighted);
    if (bead.tabIndex !== (index === selected ? 0 : -1)) bead.tabIndex = index === selected ? 0 : -1;
  }
}

// A class is touched only where it changes: each touch costs a look at the styles.
function toggle(bead, name, wanted) {
  if (bead.classList.contains(name) !== wanted) bead.classList.toggle(name, wanted);
}

function decorateAll() {
  for (const [run, { row }] of onScreen) decorate(run, row);
}

function reveal(run, call) {
  const at = shown.indexOf(run);
  if (at < 0) return;
  const line = run.layout.lines[run.layout.places[call].line];
  const first = run.layout.places[call].line === 0;
  const top = tops[at] + (first ? 0 : line.top);
  const bottom = tops[at] + line.top + line.height + FOOT;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}

function select(run, call) {
  const opened = panel.hidden;
  active = { run, call };
  showCall(run, call);
  settle(run, call, opened);
}

function selectLoop(run, loop) {
  const opened = panel.hidden;
  const call = Math.max(0, Math.min(loop.last, run.calls.length) - 1);
  active = { run, call };
  showLoop(run, loop);
  settle(run, call, opened);
}

// The panel takes width when it opens: lines are then strung anew.
function settle(run, call, opened) {
  if (opened) relayout();
  reveal(run, call);
  render();
  decorateAll();
  focusActive();
}

function focusActive() {
  if (!active) return;
  render();
  decorateAll();
  onScreen.get(active.run)?.row.querySelector(`[data-call="${active.call}"]`)?.focus({ preventScroll: true });
}

new ResizeObserver(() => {
  if (lineWidth() !== shown[0]?.layout?.width) relayout();
  else schedule();
}).observe(list);
