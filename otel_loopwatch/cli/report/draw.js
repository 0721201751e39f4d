// A run as an element: its heading, and room for lines of beads.

const HEAD = 34;
const FOOT = 12;

function drawRun(run, layout) {
  const heading = element("h2", { id: `run-${run.number}`, title: run.id }, run.id);
  const facts = [run.agent, counted(run.calls.length, "call"), run.calls.length ? duration(lasted(run)) : null, run.start];
  if (data.files.length > 1) facts.push(data.files[run.file]);
  const head = element(
    "div",
    { class: "head" },
    heading,
    element("span", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    run.wasted > 0 && element("span", { class: "wasted" }, `${counted(run.wasted, "call")} wasted`),
  );
  const row = element("div", { class: "run", role: "listitem", "aria-labelledby": `run-${run.number}` }, head);
  row.style.height = `${layout.bottom + FOOT}px`;
  return row;
}

function drawCall(run, index) {
  return drawBead(index, marksOf(run)[index], field(run.calls[index], "outcome"), describedCall(run, index));
}

function laidOut(run, width) {
  if (run.layout?.width !== width) {
    const calls = run.calls.map((call) => ({ at: field(call, "start_ms"), attempt: field(call, "attempt") }));
    run.layout = layoutOf(calls, run.loops, width, HEAD);
  }
  return run.layout;
}
