// Compiled, never run: the types fit both AI SDKs and OpenTelemetry's API.

import * as otel from '@opentelemetry/api';
import * as seven from 'ai';
import * as six from 'ai-6';
import { loopwatch, RunHalted, type Loopwatch, type RunDecision } from 'otel-loopwatch';

const url = 'http://127.0.0.1:4318';
const lw: Loopwatch = loopwatch({ url, otel, token: 'secret', fail: 'closed', timeoutMs: 100, onProblem: console.warn });
loopwatch({ url, runId: 'ticket 7' });
loopwatch({ url, traceId: '0af7651916cd43dd8448eb211c80319c' });

// @ts-expect-error which run?
loopwatch({ url });
// @ts-expect-error one of them
loopwatch({ url, runId: 'a', traceId: 'b' });
// @ts-expect-error open or closed
loopwatch({ url, runId: 'a', fail: 'soft' });

export async function agents(model: seven.LanguageModel, older: six.LanguageModel): Promise<RunDecision> {
  await seven.generateText({ model, prompt: '', stopWhen: [seven.stepCountIs(50), lw.stopWhen], prepareStep: lw.prepareStep });
  await six.generateText({ model: older, prompt: '', stopWhen: [six.stepCountIs(50), lw.stopWhen], prepareStep: lw.prepareStep });
  seven.streamText({ model, prompt: '', stopWhen: lw.stopWhen, prepareStep: async (step) => ({ ...(await lw.prepareStep(step)), toolChoice: 'auto' }) });
  try {
    await lw.throwIfHalted();
  } catch (error) {
    if (error instanceof RunHalted) return error.decision;
  }
  return (await lw.halted()) ? lw.decision() : { run: '', action: 'continue', version: 0 };
}
