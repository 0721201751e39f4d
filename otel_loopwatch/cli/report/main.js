// Puts the page together.

function fillSummary() {
  const loops = runs.flatMap((run) => run.loops);
  const critical = loops.filter((loop) => loop.level === "critical").length;
  const calls = runs.reduce((sum, run) => sum + run.calls.length, 0);
  const wasted = runs.reduce((sum, run) => sum + run.wasted, 0);
  const parts = [counted(runs.length, "run"), counted(calls, "call"), `${counted(loops.length, "loop")}, ${critical} critical`, `${counted(wasted, "call")} wasted`, data.files.length === 1 ? data.files[0] : counted(data.files.length, "file")];
  document.getElementById("summary").textContent = parts.join(" · ");
}

const WORDS = [
  "Beads that touch are calls of one model response. Thread between beads grows with the time between calls.",
  "▲ and ■ on a bracket: where the loop became a warning, and critical.",
  "Keys: arrows from call to call and run to run, Enter for details, n and p from loop to loop, / to search, Esc to close.",
];

themeButton(document.getElementById("theme"));
fillSummary();
fillLegend(document.getElementById("legend"), WORDS);
fillControls();
applyFilters();
