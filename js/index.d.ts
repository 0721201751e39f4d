/** What holds for a run: `continue`, `nudge` (the advice is for the model), `block`, `halt` (the run is to end). */
export interface RunDecision {
  /** Key of the run, or id of its trace: as it was asked for. */
  run: string;
  action: 'continue' | 'nudge' | 'block' | 'halt';
  /** Rises with every decision; 0 while nothing was decided. */
  version: number;
  /** Who decided: `loopwatch`, or the name a person gave. */
  by?: string;
  /** One sentence for people. */
  reason?: string;
  /** For the model: what repeats, and what to do instead. */
  advice?: string;
  signal?: string | null;
  trace_id?: string;
  agent?: string | null;
}

/** The part of `@opentelemetry/api` that is used: pass the module itself. */
export interface ActiveSpans {
  trace: { getActiveSpan(): { spanContext(): { traceId: string } } | undefined };
}

/** Which run is at work: its key, its trace, or the trace of the span that is active when it is asked. */
export type Which =
  | { runId: string; traceId?: undefined; otel?: undefined }
  | { traceId: string; runId?: undefined; otel?: undefined }
  | { otel: ActiveSpans; runId?: undefined; traceId?: undefined };

export type Options = Which & {
  /** Where the gateway is, such as `http://127.0.0.1:4318`. */
  url: string;
  token?: string;
  /** Whether a run goes on (`open`, the default) or ends (`closed`) while nobody has said what holds for it. */
  fail?: 'open' | 'closed';
  /** Longest wait for one answer, milliseconds; 300 by default. */
  timeoutMs?: number;
  /** Told of each failure to learn the decision: not once per outage, once per question. */
  onProblem?: (problem: Error) => void;
  fetch?: typeof globalThis.fetch;
  /** Milliseconds, for the pauses after failures. */
  now?: () => number;
};

/** Nothing here hangs, and but for `throwIfHalted` nothing rejects. */
export interface Loopwatch {
  decision(): Promise<RunDecision>;
  halted(): Promise<boolean>;
  /** A stop condition of the AI SDK: `stopWhen: [stepCountIs(50), lw.stopWhen]`. */
  stopWhen(options?: unknown): Promise<boolean>;
  /** The AI SDK's `prepareStep`: advice is appended to the messages, each piece of it once. */
  prepareStep<Message>(options: { messages: Message[] }): Promise<{ messages?: Message[] }>;
  /** For a loop of one's own. Rejects with {@link RunHalted}. */
  throwIfHalted(): Promise<void>;
}

/** Thrown into a loop of one's own when its run is to end. */
export class RunHalted extends Error {
  readonly decision: RunDecision;
}

/** Follows the decisions of a gateway. Throws `TypeError` where an option is wrong. */
export function loopwatch(options: Options): Loopwatch;
