// Puts the page together.

function fillSummary() {
  const loops = runs.flatMap((run) => run.loops);
  const critical = loops.filter((loop) => loop.level === "critical").length;
  const calls = runs.reduce((sum, run) => sum + run.calls.length, 0);
  const wasted = runs.reduce((sum, run) => sum + run.wasted, 0);
  const parts = [counted(runs.length, "run"), counted(calls, "call"), `${counted(loops.length, "loop")}, ${critical} critical`, `${counted(wasted, "call")} wasted`, data.files.length === 1 ? data.files[0] : counted(data.files.length, "file")];
  document.getElementById("summary").textContent = parts.join(" · ");
}

function fillLegend() {
  const bead = (classes, letter, text) =>
    element("li", {}, element("span", { class: `bead sample ${classes}`, "aria-hidden": "true" }, letter), text);
  const beads = [
    bead("filled hue-0", "A", "the same call with the same result: same letter, same colour, within its run"),
    bead("ring hue-1", "b", "the same answer to another request"),
    bead("tint hue-2", "C′", "the same call with another result"),
    bead("single", "", "came only once"),
    bead("filled hue-6 failed", "D", "square: the call failed"),
    bead("single weak", "", "dashed: empty, pending or unknown"),
  ];
  const words = [
    "Beads that touch are calls of one model response. Thread between beads grows with the time between calls.",
    "▲ and ■ on a bracket: where the loop became a warning, and critical.",
    "Keys: arrows from call to call and run to run, Enter for details, n and p from loop to loop, / to search, Esc to close.",
  ];
  document.getElementById("legend").append(element("ul", { class: "samples" }, ...beads), ...words.map((text) => element("p", {}, text)));
}

themeButton(document.getElementById("theme"));
fillSummary();
fillLegend();
fillControls();
applyFilters();
