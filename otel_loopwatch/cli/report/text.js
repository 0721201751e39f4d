// What the report says of calls.

const BROUGHT = {
  new: "something new",
  change: "a change of state",
  known: "nothing new: an answer that was known",
  stale: "nothing new: tried before, and nothing has changed since",
  unjudged: "not judged: the tool is ignored",
};

function lasted(run) {
  const last = run.calls.at(-1);
  return last ? Math.max(0, field(last, "start_ms") + field(last, "took_ms")) : 0;
}

const signalsAt = (run, index) =>
  run.loops.flatMap((loop) => loop.signals.filter((signal) => signal.call === index + 1).map((signal) => ({ ...signal, kind: loop.kind })));

function describedCall(run, index) {
  const call = run.calls[index];
  const place = `Call ${index + 1} of ${run.calls.length}`;
  return described(place, { tool: toolOf(call), outcome: field(call, "outcome") }, marksOf(run)[index], signalsAt(run, index));
}
