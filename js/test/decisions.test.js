// What an agent learns from the gateway, and from one that is away.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as tested from 'otel-loopwatch';

import { GO_ON, HALT, NUDGE, PATIENT_MS, silence, started, status, text, trickle } from './gateway.js';

const { RunHalted } = tested;
const loopwatch = (options) => tested.loopwatch({ timeoutMs: PATIENT_MS, ...options });
const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('a decision', () => {
  it('is asked for by the key of the run', async (test) => {
    const gateway = await started(test, HALT);
    const lw = loopwatch({ url: `${gateway.url}/loops/`, token: 's3cret', runId: 'ticket 7/a' });
    assert.deepEqual(await lw.decision(), { ...HALT, run: 'ticket 7/a' });
    assert.deepEqual(gateway.asked, [{ path: '/loops/v1/decisions/ticket%207%2Fa', authorization: 'Bearer s3cret' }]);
  });

  it('is asked for by the trace, given or that of the active span', async (test) => {
    const gateway = await started(test, HALT);
    const otel = { trace: { getActiveSpan: () => ({ spanContext: () => ({ traceId: TRACE }) }) } };
    assert.equal(await loopwatch({ url: gateway.url, traceId: TRACE }).halted(), true);
    assert.equal(await loopwatch({ url: gateway.url, otel }).halted(), true);
    assert.deepEqual(gateway.asked.map(({ path }) => path), Array(2).fill(`/v1/decisions/${TRACE}`));
  });

  it('of a run that is not known is to go on', async (test) => {
    const gateway = await started(test, status(404, { run: 'r', known: false, decision: GO_ON }));
    assert.deepEqual(await loopwatch({ url: gateway.url, runId: 'r', fail: 'closed' }).decision(), GO_ON);
  });

  it('may be taken back', async (test) => {
    const gateway = await started(test, HALT, { ...GO_ON, version: 4 });
    const lw = loopwatch({ url: gateway.url, runId: 'r' });
    assert.deepEqual([await lw.halted(), await lw.halted()], [true, false]);
  });

  it('is not taken back by a gateway that has forgotten', async (test) => {
    const gateway = await started(test, HALT, GO_ON);
    const lw = loopwatch({ url: gateway.url, runId: 'r' });
    assert.deepEqual([await lw.halted(), await lw.halted()], [true, true]);
  });

  it('is asked for once by those who ask at once', async (test) => {
    const gateway = await started(test, HALT);
    const lw = loopwatch({ url: gateway.url, runId: 'r' });
    assert.deepEqual(await Promise.all([lw.halted(), lw.halted()]), [true, true]);
    assert.equal(gateway.asked.length, 1);
  });
});

describe('a loop of one\'s own', () => {
  it('goes on until its run is halted', async (test) => {
    const gateway = await started(test, GO_ON, GO_ON, HALT);
    const lw = loopwatch({ url: gateway.url, runId: 'r' });
    let rounds = 0;
    await assert.rejects(
      async () => {
        for (;;) {
          await lw.throwIfHalted();
          rounds += 1;
        }
      },
      (error) => error instanceof RunHalted && error.decision.by === 'ann' && error.message === 'search repeats.',
    );
    assert.equal(rounds, 2);
  });
});

const FAILURES = {
  'a server error': status(500),
  'a refusal': status(401),
  'a redirect': (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  'no such page': status(404, { detail: 'Not Found' }),
  'no JSON': text('<html>'),
  'no decision': text('{"action": 7, "version": 1}'),
  'nothing at all': text('null'),
  'a broken connection': (response) => response.destroy(),
  silence,
  'an answer without end': trickle,
};

describe('a gateway that gives no answer', () => {
  for (const [what, answer] of Object.entries(FAILURES)) {
    it(`lets the run go on, or not, by choice: ${what}`, async (test) => {
      const { url } = await started(test, answer);
      const problems = [];
      const onProblem = (problem) => problems.push(problem);
      const at = { url, runId: 'r', timeoutMs: 50, onProblem };
      assert.equal(await loopwatch(at).halted(), false);
      const closed = await loopwatch({ ...at, fail: 'closed' }).decision();
      assert.equal(closed.action, 'halt');
      assert.match(closed.reason, /^nobody can say whether the run is to go on \(.+\)$/);
      assert.equal(problems.length, 2);
    });
  }

  it('holds nobody up whose fetch heeds no signal', async () => {
    const lw = loopwatch({ url: 'http://gateway', runId: 'r', timeoutMs: 20, fetch: () => new Promise(() => {}) });
    assert.equal(await lw.halted(), false);
  });

  it('and a fetch that throws at once is a failure like any other', async () => {
    const fetch = () => {
      throw new Error('no network here');
    };
    assert.equal(await loopwatch({ url: 'http://gateway', runId: 'r', fetch }).halted(), false);
  });

  it('leaves a halt in force that was known before', async (test) => {
    const { url } = await started(test, HALT, status(500));
    const lw = loopwatch({ url, runId: 'r' });
    assert.deepEqual([await lw.halted(), await lw.halted()], [true, true]);
  });

  it('is asked again only after pauses that grow', async (test) => {
    const { url, asked } = await started(test, status(500), status(500), HALT);
    let time = 0;
    const lw = loopwatch({ url, runId: 'r', now: () => time });
    const seen = [];
    for (time of [0, 499, 500, 1499, 1500, 1501]) {
      await lw.halted();
      seen.push(asked.length);
    }
    assert.deepEqual(seen, [1, 1, 2, 2, 3, 4]);
  });
});

describe('advice', () => {
  it('is appended to the messages once', async (test) => {
    const { url } = await started(test, GO_ON, NUDGE, NUDGE, { ...NUDGE, version: 5, action: 'block' }, HALT);
    const lw = loopwatch({ url, runId: 'r' });
    const messages = [{ role: 'user', content: 'hello' }];
    const told = [];
    for (let step = 0; step < 5; step += 1) told.push((await lw.prepareStep({ messages })).messages?.at(-1).content);
    assert.deepEqual(told, [undefined, NUDGE.advice, undefined, NUDGE.advice, undefined]);
    assert.equal(messages.length, 1);
  });

  it('is told to each run of a server', async (test) => {
    const { url } = await started(test, NUDGE);
    let traceId;
    const otel = { trace: { getActiveSpan: () => ({ spanContext: () => ({ traceId }) }) } };
    const lw = loopwatch({ url, otel });
    const told = [];
    for (traceId of ['1', '2', '1']) told.push('messages' in (await lw.prepareStep({ messages: [] })));
    assert.deepEqual(told, [true, true, false]);
  });

  it('is told to no more runs than are remembered', async (test) => {
    const { url } = await started(test, NUDGE);
    let traceId;
    const otel = { trace: { getActiveSpan: () => ({ spanContext: () => ({ traceId }) }) } };
    const answered = () => Promise.resolve(new Response(JSON.stringify(NUDGE)));
    const lw = loopwatch({ url, otel, fetch: answered });
    const tell = async (id) => {
      traceId = id;
      return 'messages' in (await lw.prepareStep({ messages: [] }));
    };
    assert.equal(await tell('first'), true);
    for (let n = 0; n < 1024; n += 1) await tell(`t${n}`);
    assert.equal(await tell('t1023'), false);
    assert.equal(await tell('first'), true);
  });
});

describe('the run at work', () => {
  it('is unknown where no span is active: as if nobody answered', async (test) => {
    const { url, asked } = await started(test, HALT);
    const invalid = { spanContext: () => ({ traceId: '0'.repeat(32) }) };
    for (const span of [undefined, invalid]) {
      const otel = { trace: { getActiveSpan: () => span } };
      assert.equal(await loopwatch({ url, otel }).halted(), false);
      assert.equal(await loopwatch({ url, otel, fail: 'closed' }).halted(), true);
    }
    assert.equal(asked.length, 0);
  });
});

describe('a wrong option', () => {
  const good = { url: 'http://127.0.0.1:4318', runId: 'r' };
  const wrong = [
    [{ runId: undefined }, /exactly one must tell/],
    [{ traceId: TRACE }, /exactly one must tell/],
    [{ runId: '' }, /^runId: "" must be a text/],
    [{ runId: undefined, traceId: TRACE.toUpperCase() }, /^traceId: .* 32 lower-case hex digits/],
    [{ token: 'a\r\nb' }, /^token: must be printable ASCII without blanks$/],
    [{ token: '' }, /^token: must be/],
    [{ fail: 'soft' }, /^fail: "soft" must be 'open' or 'closed'/],
    [{ timeoutMs: 0 }, /^timeoutMs: 0 must be above 0/],
    [{ timeoutMs: Number.NaN }, /^timeoutMs: null must be above 0/],
    [{ timeoutMs: 60_001 }, /at most 60000/],
    ...['gateway', 'ftp://g', 'http://u:p@g', 'http://g?x', 'http://g#x', undefined].map((url) => [
      { url },
      /^url: .*must be an http or https URL/,
    ]),
  ];
  for (const [changed, rule] of wrong) {
    it(`is said before the agent starts: ${JSON.stringify(changed)}`, () => {
      assert.throws(() => loopwatch({ ...good, ...changed }), (error) => error instanceof TypeError && rule.test(error.message));
    });
  }
});
