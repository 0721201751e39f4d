// Arrows go from call to call and from run to run; n and p from loop to loop.

const MOVES = {
  ArrowRight: () => step(1),
  ArrowLeft: () => step(-1),
  ArrowDown: () => otherRun(1),
  ArrowUp: () => otherRun(-1),
  PageDown: () => otherRun(10),
  PageUp: () => otherRun(-10),
  Home: () => move(active.run, 0),
  End: () => move(active.run, active.run.calls.length - 1),
  n: () => otherLoop(1),
  p: () => otherLoop(-1),
};

function move(run, call) {
  active = { run, call };
  if (panel.hidden) settle(run, call, false);
  else select(run, call);
}

function step(by) {
  const call = active.call + by;
  if (call >= 0 && call < active.run.calls.length) move(active.run, call);
}

function otherRun(by) {
  const direction = Math.sign(by);
  let at = Math.max(0, Math.min(shown.length - 1, shown.indexOf(active.run) + by));
  while (shown[at] && !shown[at].calls.length) at += direction;
  if (shown[at] && shown[at] !== active.run) move(shown[at], Math.min(active.call, shown[at].calls.length - 1));
}

function otherLoop(by) {
  const start = shown.indexOf(active.run);
  for (let at = start; at >= 0 && at < shown.length; at += by) {
    const run = shown[at];
    const ends = run.loops.map((loop) => Math.min(loop.last, run.calls.length) - 1).filter((call) => call >= 0);
    const ahead = ends.filter((call) => at !== start || (call - active.call) * by > 0).sort((one, other) => (one - other) * by);
    if (ahead.length) return selectLoop(run, run.loops.find((loop) => Math.min(loop.last, run.calls.length) - 1 === ahead[0]));
  }
}

list.addEventListener("keydown", (event) => {
  const moved = MOVES[event.key];
  if (!moved || !active || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  moved();
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape" && !panel.hidden && !typing) closeDetails();
  if (event.key === "/" && !typing) {
    event.preventDefault();
    controls.search.focus();
  }
});
