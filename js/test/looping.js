// Agents of both AI SDKs whose model calls one tool for ever.

import * as seven from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import * as six from 'ai-6';
import { MockLanguageModelV3 } from 'ai-6/test';
import { z } from 'zod';

const USAGE = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 20, text: 20, reasoning: 0 },
};
const FINISH = { finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage: USAGE };

export const SDKS = [
  { name: 'ai 7', ai: seven, Model: MockLanguageModelV4 },
  { name: 'ai 6', ai: six, Model: MockLanguageModelV3 },
];
export const LIMIT = 30;
const RESULT = 'Refunds are made within 30 days of the purchase, to the card that was charged.';

/** What the model was asked, and what to pass to `generateText` and `streamText`. */
export function looping({ ai, Model }) {
  const prompts = [];
  let calls = 0;
  const call = () => ({ type: 'tool-call', toolCallId: `call_${(calls += 1)}`, toolName: 'search', input: '{"query":"refunds"}' });
  const model = new Model({
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt);
      return { content: [call()], ...FINISH, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const chunks = [{ type: 'stream-start', warnings: [] }, call(), { type: 'finish', ...FINISH }];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
  const search = ai.tool({ inputSchema: z.object({ query: z.string() }), execute: async () => RESULT });
  return { prompts, agent: { model, tools: { search }, prompt: 'How are refunds made?' } };
}
