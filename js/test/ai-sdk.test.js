// Real AI SDKs, a model that loops for ever, and what stops it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { loopwatch } from 'otel-loopwatch';

import { GO_ON, HALT, NUDGE, PATIENT_MS, silence, started } from './gateway.js';
import { LIMIT, looping, SDKS } from './looping.js';

const generated = async (ai, settings) => (await ai.generateText(settings)).steps;
const streamed = async (ai, settings) => {
  const result = ai.streamText(settings);
  await result.consumeStream();
  return result.steps;
};

for (const sdk of SDKS) {
  for (const [how, run] of Object.entries({ generateText: generated, streamText: streamed })) {
    describe(`${how} of ${sdk.name}`, () => {
      const steps = (lw, agent) =>
        run(sdk.ai, { ...agent, stopWhen: [sdk.ai.stepCountIs(LIMIT), lw.stopWhen], prepareStep: lw.prepareStep });

      it('ends after the step in which its run was halted', async (test) => {
        // Asked before each step and after it: the fourth question is asked after the second step.
        const { url } = await started(test, GO_ON, GO_ON, GO_ON, HALT);
        const { agent } = looping(sdk);
        assert.equal((await steps(loopwatch({ url, runId: 'r', timeoutMs: PATIENT_MS }), agent)).length, 2);
      });

      it('shows the advice to the model', async (test) => {
        const { url } = await started(test, GO_ON, GO_ON, NUDGE, NUDGE, NUDGE, HALT);
        const { agent, prompts } = looping(sdk);
        await steps(loopwatch({ url, runId: 'r', timeoutMs: PATIENT_MS }), agent);
        const seen = prompts.map((prompt) => JSON.stringify(prompt).split(NUDGE.advice).length - 1);
        assert.deepEqual(seen.slice(0, 2), [0, 1]);
        assert.ok(seen.every((times) => times <= 1));
      });

      it('is not held up by a gateway that is silent', async (test) => {
        const { url, asked } = await started(test, silence);
        const { agent } = looping(sdk);
        assert.equal((await steps(loopwatch({ url, runId: 'r', timeoutMs: 30 }), agent)).length, LIMIT);
        assert.ok(asked.length < LIMIT); // not before each step and after it
      });

      it('ends at once where nothing may go on unasked', async (test) => {
        const { url } = await started(test, silence);
        const { agent } = looping(sdk);
        assert.equal((await steps(loopwatch({ url, runId: 'r', timeoutMs: 30, fail: 'closed' }), agent)).length, 1);
      });
    });
  }
}
