/** Options, checked once: a wrong one is a TypeError that names it and the rule, before the agent starts. */

const TRACE_ID = /^[0-9a-f]{32}$/;
const TOKEN = /^[\x21-\x7e]+$/;
const INVALID_TRACE_ID = '0'.repeat(32);
const LONGEST_MS = 60_000;

export function settings({
  url,
  token,
  runId,
  traceId,
  otel,
  fail = 'open',
  timeoutMs = 300,
  onProblem = () => {},
  fetch = globalThis.fetch,
  now = () => Date.now(),
}) {
  if ([runId, traceId, otel].filter((given) => given !== undefined).length !== 1) {
    throw new TypeError('runId, traceId, otel: exactly one must tell which run is at work');
  }
  rule(traceId === undefined || TRACE_ID.test(traceId), 'traceId', traceId, 'must be 32 lower-case hex digits');
  rule(runId === undefined || (typeof runId === 'string' && runId), 'runId', runId, 'must be a text that is not empty');
  // Not shown: it is a secret.
  if (token !== undefined && !TOKEN.test(token)) throw new TypeError('token: must be printable ASCII without blanks');
  rule(fail === 'open' || fail === 'closed', 'fail', fail, "must be 'open' or 'closed'");
  rule(timeoutMs > 0 && timeoutMs <= LONGEST_MS, 'timeoutMs', timeoutMs, `must be above 0 and at most ${LONGEST_MS}`);
  return {
    url: base(url),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    run: otel === undefined ? () => runId ?? traceId : () => activeTrace(otel),
    fail: fail === 'open' ? goOn : goNoFurther,
    timeoutMs,
    onProblem,
    fetch,
    now,
  };
}

function rule(holds, name, value, what) {
  if (!holds) throw new TypeError(`${name}: ${JSON.stringify(value)} ${what}`);
}

function base(url) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    parsed = { protocol: '' };
  }
  const plain = /^https?:$/.test(parsed.protocol) && !parsed.search && !parsed.hash && !parsed.username;
  rule(plain, 'url', url, 'must be an http or https URL without user, query or fragment');
  return parsed.href.replace(/\/+$/, '');
}

function activeTrace(otel) {
  const id = otel.trace.getActiveSpan()?.spanContext().traceId;
  if (id === undefined || id === INVALID_TRACE_ID) throw new Error('no span is active here: which run is at work?');
  return id;
}

function goOn() {
  return { run: '', action: 'continue', version: 0 };
}

function goNoFurther(problem) {
  const reason = `nobody can say whether the run is to go on (${problem.message})`;
  return { run: '', action: 'halt', version: 0, reason };
}
