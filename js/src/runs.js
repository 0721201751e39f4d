/** What is known of runs: one after the other, or many at a time in a server. */

const MOST = 1024;

export class Runs {
  #known = new Map();

  /** The run of that id; the one that was not asked for longest makes room. */
  of(id) {
    const run = this.#known.get(id) ?? new Run(id);
    this.#known.delete(id);
    this.#known.set(id, run);
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value);
    return run;
  }
}

class Run {
  #told = 0;

  constructor(id) {
    this.id = id;
    /** The latest decision; undefined while nobody has said. It holds while the gateway is away, too. */
    this.decision = undefined;
  }

  /** A lower version is of a gateway that has forgotten: it takes nothing back. */
  decided(decision) {
    if (decision.version >= (this.decision?.version ?? 0)) this.decision = { ...decision, run: this.id };
  }

  /** Whether the advice of a decision is still to be told, which it is by that. */
  tell(version) {
    const fresh = version > this.#told;
    this.#told = Math.max(this.#told, version);
    return fresh;
  }
}
