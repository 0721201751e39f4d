// All runs the gateway told of, and which of them are wanted in which order.

export const STATES = ["looping", "halted", "live", "ended"];
const MOST = 10_000; // runs kept; the one that was quiet the longest makes room
const AT_WORK_MS = 60e3;

export const msOf = (ns) => Number(ns) / 1e6;

export class Fleet {
  #runs = new Map();

  // `briefs` are the newest first.
  replace(briefs) {
    this.#runs = new Map(briefs.map((brief) => [brief.run, described(brief)]).reverse());
  }

  take(brief) {
    const known = this.#runs.get(brief.run);
    if (known && known.version > brief.version) return;
    this.#runs.delete(brief.run);
    this.#runs.set(brief.run, described(brief));
    if (this.#runs.size > MOST) this.#runs.delete(this.#runs.keys().next().value);
  }

  get(run) {
    return this.#runs.get(run);
  }

  get size() {
    return this.#runs.size;
  }

  counts() {
    const counts = Object.fromEntries(STATES.map((state) => [state, 0]));
    for (const { state } of this.#runs.values()) counts[state]++;
    return counts;
  }

  names() {
    const names = { agents: new Set(), tools: new Set() };
    for (const { agent, loop } of this.#runs.values()) {
      if (agent) names.agents.add(agent);
      for (const tool of loop?.tools ?? []) names.tools.add(tool);
    }
    return names;
  }

  // `ofTool` are the runs that called the tool that is asked for, null where none is.
  wanted({ state, agent, q }, ofTool) {
    const text = q.trim().toLowerCase();
    const found = [...this.#runs.values()].filter(
      (run) =>
        (!state || run.state === state) &&
        (!agent || run.agent === agent) &&
        (!text || run.text.includes(text)) &&
        (!ofTool || ofTool.has(run.run)),
    );
    return newestFirst(found);
  }
}

function described(brief) {
  const text = [brief.run, brief.trace_id, brief.agent, brief.service].join("\n").toLowerCase();
  return { ...brief, first: msOf(brief.first_ns), last: msOf(brief.last_ns), text };
}

// By activity. Runs that are at work stand in the order in which they began: else they would trade places with every
// call.
function newestFirst(runs) {
  const since = runs.reduce((latest, { last }) => Math.max(latest, last), 0) - AT_WORK_MS;
  const atWork = ({ last }) => last >= since;
  const rank = (run) => (atWork(run) ? run.first : run.last);
  return runs.sort((one, other) => atWork(other) - atWork(one) || rank(other) - rank(one) || (one.run < other.run ? -1 : 1));
}
