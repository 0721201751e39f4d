// A gateway that answers as a test tells it to, over real HTTP.

import { once } from 'node:events';
import { createServer } from 'node:http';

export const GO_ON = { run: 'r', action: 'continue', version: 0 };
export const HALT = { run: 'r', action: 'halt', version: 3, by: 'ann', reason: 'search repeats.' };
export const NUDGE = { run: 'r', action: 'nudge', version: 2, advice: 'search repeats. Take another way.' };

/** Longest wait for an answer that comes: reached only where it does not. */
export const PATIENT_MS = 10_000;

/** Started; `answers` are given in turn, the last one from then on: decisions, or what to do with a response. */
export async function started(test, ...answers) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url, authorization: request.headers.authorization });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (typeof answer === 'function') answer(response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, asked };
}

export const silence = () => {};
export const status = (code, told = {}) => (response) => response.writeHead(code).end(JSON.stringify(told));
export const text = (said) => (response) => response.writeHead(200).end(said);
/** An answer that begins, and goes on for ever. */
export const trickle = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
};
