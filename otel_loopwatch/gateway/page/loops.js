// The signals of a run as loops: from which of the calls that are shown to which, and at which levels.

// `call` of a signal is a position in the run; the calls that are shown may begin later.
export function loopsOf(signals, calls) {
  const found = [];
  for (const signal of signals) {
    const known = found.findLast((loop) => same(loop, signal, calls));
    if (known) Object.assign(known, signal, { signals: [...known.signals, signal] });
    else found.push({ ...signal, signals: [signal] });
  }
  return found.map((loop) => within(loop, calls));
}

// The next level of a loop, not another one of its kind that came after the run had moved on.
function same(loop, signal, calls) {
  const alike = loop.kind === signal.kind && loop.tools.some((tool) => signal.tools.includes(tool));
  return alike && loop.recovered === signal.recovered && (!loop.recovered || firstOf(signal, calls) <= loop.call);
}

function within(loop, calls) {
  const before = calls.length ? calls[0].n - 1 : 0;
  return {
    ...loop,
    first: Math.max(1, Math.min(...loop.signals.map((signal) => firstOf(signal, calls))) - before),
    last: lastOf(loop.call - before, calls),
    signals: loop.signals.map((signal) => ({ ...signal, call: signal.call - before })),
  };
}

// Where the signal says it began, else so many calls back as it counts.
function firstOf({ first_span_id, call, wasted_calls, period }, calls) {
  const named = first_span_id && calls.find((one) => one.span_id === first_span_id);
  return named ? named.n : call - wasted_calls - period + 1;
}

// It goes on with every call that brings nothing new.
function lastOf(signalled, calls) {
  let last = signalled;
  while (last > 0 && last < calls.length && !calls[last].new) last++;
  return last;
}
