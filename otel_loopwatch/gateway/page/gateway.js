// The gateway's API, with the token where one was given.

import { events } from "./stream.js";

const TOKEN = "loopwatch.token";
export const MOST_RUNS = 1000; // in one answer
const SILENCE_MS = 45e3; // the gateway says something every 15 s

export class Refused extends Error {} // the gateway wants another token, or one at all

export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: (text) => (text ? sessionStorage.setItem(TOKEN, text) : sessionStorage.removeItem(TOKEN)),
};

export const pathOf = (run) => `v1/runs/${encodeURIComponent(run.toWellFormed())}`;

// The newest, and the version at which they stood so.
export async function readRuns(tool = "") {
  const asking = new URLSearchParams({ limit: MOST_RUNS, ...(tool && { tool: tool.toWellFormed() }) });
  return (await asked(`v1/runs?${asking}`)).json();
}

// A run and all that is known of it; of one that is not known, what was decided.
export async function readRun(run) {
  return (await asked(pathOf(run), {}, [404])).json();
}

export async function decide(run, action, by, reason) {
  const headers = { "content-type": "application/json" };
  const response = await asked(`${pathOf(run)}/${action}`, { method: "POST", headers, body: JSON.stringify({ by, reason }) });
  return response.json();
}

// Events after a version, until the gateway ends them, or was silent for too long.
export async function* follow(version, opened) {
  const silence = new AbortController();
  let timer = 0;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  heard();
  try {
    const headers = { accept: "text/event-stream", "last-event-id": `${version}` };
    const response = await asked("v1/events", { headers, signal: silence.signal });
    opened();
    yield* events(response.body, heard);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

async function asked(path, options = {}, allowed = []) {
  const known = token.get();
  const headers = known ? { ...options.headers, authorization: `Bearer ${known}` } : options.headers;
  const response = await fetch(path, { ...options, headers, cache: "no-store", redirect: "error" });
  if (response.ok || allowed.includes(response.status)) return response;
  const said = await reasonOf(response);
  throw response.status === 401 || response.status === 403 ? new Refused(said) : new Error(said);
}

const LONGEST_REASON = 300;

// The board says `error`, what stands before it `message`; a proxy says anything.
async function reasonOf(response) {
  const text = await response.text();
  return String(wordOf(text) ?? (text || response.statusText)).slice(0, LONGEST_REASON);
}

function wordOf(text) {
  try {
    const said = JSON.parse(text);
    return said.error ?? said.message;
  } catch {
    return undefined;
  }
}
