/** Thrown into a loop of one's own when its run is to end. */
export class RunHalted extends Error {
  constructor(decision) {
    super(decision.reason || 'the run was halted');
    this.name = 'RunHalted';
    this.decision = decision;
  }
}
