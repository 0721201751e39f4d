// The Vercel AI SDK, version 5 or 7: one run of an agent, its spans written as OTLP/JSON. Started by vercel_ai.py with a task.
import { appendFileSync } from 'node:fs';
import * as ai from 'ai';
import { createOpenAI } from '@ai-sdk/openai';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { z } from 'zod';

const { task, question, instructions, variant, file } = JSON.parse(process.env.TASK);
const exporter = {
  export(spans, done) {
    appendFileSync(file, Buffer.concat([JsonTraceSerializer.serializeRequest(spans), Buffer.from('\n')]));
    done({ code: 0 });
  },
  shutdown: async () => {},
};
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
if (variant === '7-genai' || variant === '7-legacy') {
  const { LegacyOpenTelemetry, OpenTelemetry } = await import('@ai-sdk/otel');
  ai.registerTelemetry(variant === '7-genai' ? new OpenTelemetry() : new LegacyOpenTelemetry());
}

const ran = {};
const counted = (name, inputSchema, execute) =>
  ai.tool({
    description: name,
    inputSchema: z.object(inputSchema),
    execute: async (asked) => {
      ran[name] = (ran[name] ?? 0) + 1;
      return execute(asked);
    },
  });

const tools = () => ({
  get_order: counted('get_order', { order_id: z.string() }, ({ order_id }) => `Order ${order_id} holds one kettle, paid by card.`),
  search_docs: counted('search_docs', { query: z.string(), limit: z.number().default(5) }, ({ query }) => `No policy matches '${query}'. Known policies: return of clothing, warranty.`),
  track_parcel: counted('track_parcel', { parcel_id: z.string() }, () => `The parcel has passed ${ran.track_parcel * 12} of 60 stations.`),
  read_region: counted('read_region', { region: z.string() }, ({ region }) => {
    throw new Error(`There is no region called ${region}; regions are north and south.`);
  }),
});

async function run({ url, agent, stream, researcher }) {
  const telemetry = { isEnabled: true, functionId: agent };
  const asked = {
    model: createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }).chat('gpt-4o-mini'),
    prompt: question,
    stopWhen: ai.stepCountIs(20),
    ...(variant === '5' ? { system: instructions, experimental_telemetry: telemetry } : { instructions, telemetry }),
    tools: {
      ...tools(),
      ...(researcher && {
        ask_researcher: ai.tool({
          description: 'Ask the researcher.',
          inputSchema: z.object({ question: z.string() }),
          execute: () => run(researcher),
        }),
      }),
    },
  };
  return stream ? await ai.streamText(asked).text : (await ai.generateText(asked)).text;
}

let error = null;
try {
  await run(task);
} catch (thrown) {
  error = `${thrown.name}: ${thrown.message}`.slice(0, 200);
}
await provider.shutdown();
console.log(JSON.stringify({ ran, error }));
