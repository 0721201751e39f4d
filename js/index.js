/** What agents in JavaScript need to follow the decisions of an otel-loopwatch gateway. Types are in index.d.ts. */

import { Gateway } from './src/gateway.js';
import { RunHalted } from './src/halted.js';
import { Runs } from './src/runs.js';
import { settings } from './src/settings.js';

export { RunHalted };

export function loopwatch(options) {
  const { run, fail, onProblem, ...where } = settings(options);
  const gateway = new Gateway(where);
  const runs = new Runs();

  /** The decision that holds for the run at work; where nobody can say, what `fail` makes of that. */
  async function decision() {
    let known;
    try {
      known = runs.of(run());
      known.decided(await gateway.decision(known.id));
    } catch (problem) {
      onProblem(problem);
      return known?.decision ?? fail(problem);
    }
    return known.decision;
  }

  async function halted() {
    return (await decision()).action === 'halt';
  }

  return {
    decision,
    halted,
    stopWhen: () => halted(),

    async prepareStep({ messages }) {
      const { action, advice, run: id, version } = await decision();
      const meant = advice && (action === 'nudge' || action === 'block');
      if (!meant || !runs.of(id).tell(version)) return {};
      return { messages: [...messages, { role: 'user', content: advice }] };
    },

    async throwIfHalted() {
      const found = await decision();
      if (found.action === 'halt') throw new RunHalted(found);
    },
  };
}
