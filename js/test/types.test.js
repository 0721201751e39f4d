// The hand-written types, checked by the compiler against what they are used with.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import * as package_ from 'otel-loopwatch';

const project = fileURLToPath(new URL('tsconfig.json', import.meta.url));

it('the types fit the AI SDKs and the API of OpenTelemetry', async () => {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '--project', project]).catch((failed) => failed);
  assert.equal(stdout, '');
});

it('what is exported has types', () => {
  assert.deepEqual(Object.keys(package_).sort(), ['RunHalted', 'loopwatch']);
});
