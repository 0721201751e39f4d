// Which runs are shown, and in which order.

const controls = Object.fromEntries(["search", "level", "tool", "order", "kinds", "shown"].map((id) => [id, document.getElementById(id)]));
const kinds = new Set();

const LEVELS = {
  all: () => true,
  loops: (run) => run.rank > RANK.none,
  critical: (run) => run.rank === RANK.critical,
  none: (run) => run.rank === RANK.none,
};
const ORDERS = {
  worst: (one, other) => other.rank - one.rank || other.wasted - one.wasted || one.number - other.number,
  read: (one, other) => one.number - other.number,
  longest: (one, other) => other.calls.length - one.calls.length || one.number - other.number,
};

function applyFilters() {
  const text = controls.search.value.trim().toLowerCase();
  const tool = controls.tool.value === "" ? null : Number(controls.tool.value);
  const level = LEVELS[controls.level.value];
  const chosen = runs.filter(
    (run) =>
      level(run) &&
      (tool === null || run.tools.has(tool)) &&
      (!kinds.size || run.loops.some((loop) => kinds.has(loop.kind))) &&
      (!text || run.text.includes(text)),
  );
  highlighted = tool;
  chosen.sort(ORDERS[controls.order.value]);
  controls.shown.textContent = chosen.length === runs.length ? counted(runs.length, "run") : `${NUMBERS.format(chosen.length)} of ${counted(runs.length, "run")}`;
  showRuns(chosen);
}

function kindButton(kind, count) {
  const button = element("button", { type: "button", class: "kind", "aria-pressed": "false" }, `${kind} `, element("b", {}, `${count}`));
  button.addEventListener("click", () => {
    if (!kinds.delete(kind)) kinds.add(kind);
    button.setAttribute("aria-pressed", String(kinds.has(kind)));
    applyFilters();
  });
  return button;
}

function fillControls() {
  for (const kind of data.kinds) {
    const count = runs.reduce((sum, run) => sum + run.loops.filter((loop) => loop.kind === kind).length, 0);
    if (count) controls.kinds.append(kindButton(kind, count));
  }
  const sorted = data.tools.map((name, number) => [name, number]).sort(([one], [other]) => (one < other ? -1 : 1));
  controls.tool.append(...sorted.map(([name, number]) => element("option", { value: number }, name)));
  let waiting = 0;
  controls.search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(applyFilters, 80);
  });
  for (const name of ["level", "tool", "order"]) controls[name].addEventListener("change", applyFilters);
}
