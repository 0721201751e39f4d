/** The gateway, asked in time: it may be slow, gone, or somebody else, and the agent goes on. */

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export class Gateway {
  #where;
  #failures = 0;
  #againAt = 0;
  #problem;
  #asking = new Map();

  constructor(where) {
    this.#where = where;
  }

  /** The decision on a run. After a failure nobody is asked for a while: the failure is the answer. */
  decision(run) {
    if (this.#where.now() < this.#againAt) return Promise.reject(this.#problem);
    let asked = this.#asking.get(run);
    if (asked === undefined) {
      asked = this.#ask(run).finally(() => this.#asking.delete(run));
      this.#asking.set(run, asked);
    }
    return asked;
  }

  async #ask(run) {
    try {
      const found = await within(this.#where.timeoutMs, (signal) => this.#fetched(run, signal));
      this.#failures = 0;
      return found;
    } catch (problem) {
      this.#problem = problem;
      this.#againAt = this.#where.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
      this.#failures += 1;
      throw problem;
    }
  }

  async #fetched(run, signal) {
    const { url, headers, fetch } = this.#where;
    // Not followed: the token is for this address. Workers know no redirect: 'error'.
    const asked = { headers: { accept: 'application/json', ...headers }, redirect: 'manual', signal };
    const response = await fetch(`${url}/v1/decisions/${encodeURIComponent(run)}`, asked);
    if (response.status !== 200 && response.status !== 404) throw new Error(`the gateway answered ${response.status}`);
    const told = await response.json();
    const found = response.status === 404 ? told?.decision : told;
    if (typeof found?.action !== 'string' || !Number.isSafeInteger(found.version)) {
      throw new Error('the answer is no decision');
    }
    return found;
  }
}

/** What the work gives, if it gives it in time; whether or not it heeds the signal. */
function within(milliseconds, work) {
  const control = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${milliseconds} ms`));
      control.abort();
    }, milliseconds);
    Promise.resolve(work(control.signal))
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
