// The whole way: a looping agent's spans to a real gateway, and the gateway's own halt back to the agent.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { OpenTelemetry } from '@ai-sdk/otel';
import * as otel from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { registerTelemetry } from 'ai';
import { loopwatch } from 'otel-loopwatch';

import { PATIENT_MS } from './gateway.js';
import { looping, SDKS } from './looping.js';

const MANY = 200;
const WITHIN_MS = 60_000;
const BESIDE = fileURLToPath(new URL('../../.venv/bin/otel-loopwatch', import.meta.url));
const COMMAND = process.env.LOOPWATCH_TEST_COMMAND ?? (existsSync(BESIDE) ? BESIDE : 'otel-loopwatch');

const folder = mkdtempSync(join(tmpdir(), 'loopwatch-'));
const flags = ['gateway', '--http-port', '0', '--no-grpc', '--spool-mb', '0', '--window', '0.05', '--folder', folder];
const gateway = spawn(COMMAND, flags, { env: { ...process.env, OTEL_LOOPWATCH_CONTROL: 'halt' }, stdio: ['ignore', 'ignore', 'pipe'] });
const { url, why } = await listening(gateway);

describe('a looping agent and a gateway', { skip: why }, () => {
  let provider;

  before(() => {
    const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
    provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    provider.register();
    registerTelemetry(new OpenTelemetry());
  });

  after(() => provider.shutdown());

  for (const sdk of SDKS) {
    it(`stops the agent of ${sdk.name}`, { timeout: WITHIN_MS }, async () => {
      const lw = loopwatch({ url, otel, timeoutMs: PATIENT_MS });
      const tracer = otel.trace.getTracer('agent');
      const { steps, decision } = await tracer.startActiveSpan('support agent', async (span) => {
        try {
          const { agent } = looping(sdk);
          const result = await sdk.ai.generateText({
            ...agent,
            stopWhen: [sdk.ai.stepCountIs(MANY), lw.stopWhen],
            prepareStep: () => sleep(20, {}), // a model takes its time
            experimental_telemetry: { isEnabled: true },
          });
          return { steps: result.steps, decision: await lw.decision() };
        } finally {
          span.end();
        }
      });
      assert.equal(decision.action, 'halt');
      assert.equal(decision.by ?? 'loopwatch', 'loopwatch');
      assert.match(decision.reason, /search/);
      assert.ok(steps.length < MANY);
    });
  }
});

after(() => {
  gateway.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

/** Where it listens, as it says itself; or why it does not run here. */
function listening(process) {
  return new Promise((resolve) => {
    let said = '';
    process.stderr.on('data', (chunk) => {
      said += chunk;
      const found = /http:\/\/\S+/.exec(said);
      if (found) resolve({ url: found[0], why: false });
    });
    process.once('error', (error) => resolve({ why: `no gateway here: ${error.message}` }));
    process.once('exit', () => resolve({ why: `no gateway here: ${said.trim()}` }));
  });
}
