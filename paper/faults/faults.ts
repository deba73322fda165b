import { z } from 'zod';

/**
 * A fault to play on requests. `fail-before` answers without doing anything; `apply-then-fail` does the work, stores it and
 * then answers with the failure; `reset` cuts the connection (after the work when `applied`); `delay` waits, then works
 * (when `applied` it works, then waits with the answer);
 * `late` accepts the request and answers with the failure at once, and its engine does the work only after the delay.
 */
const fault = z.object({
  /** `text`: a part of query or body, such as side=BUY. */
  match: z
    .object({ method: z.string().optional(), path: z.string().optional(), text: z.string().optional() })
    .default({}),
  kind: z.enum(['fail-before', 'apply-then-fail', 'delay', 'late', 'reset']),
  applied: z.boolean().default(false),
  status: z.int().min(200).max(599).default(503),
  body: z.unknown().optional(),
  /** Of the failure, such as Retry-After. */
  headers: z.record(z.string(), z.string()).default({}),
  delayMs: z.number().min(0).default(0),
  times: z.int().min(1).default(1),
  /** Plays on every n-th matching request only. */
  every: z.int().min(1).default(1),
});
export const faultList = z.array(fault);
export type Fault = z.output<typeof fault>;

export interface Faults {
  add(list: readonly Fault[]): void;
  clear(): void;
  /** The first fault that matches the request; it is used up after it was played `times` times. */
  take(request: FaultyRequest): Fault | undefined;
}

interface FaultyRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly rawBody: string;
}

export function openFaults(): Faults {
  let waiting: { readonly fault: Fault; left: number; passed: number }[] = [];
  return {
    add: (list) => {
      waiting.push(...list.map((one) => ({ fault: one, left: one.times, passed: 0 })));
    },
    clear: () => {
      waiting = [];
    },
    take: ({ method, path, rawQuery, rawBody }) => {
      const matching = waiting.filter(
        ({ fault: { match } }) =>
          (match.method ?? method) === method &&
          (match.path ?? path) === path &&
          `${rawQuery}&${rawBody}`.includes(match.text ?? ''),
      );
      const found = matching.find((one) => {
        one.passed += 1;
        return one.passed % one.fault.every === 0;
      });
      if (found === undefined) return undefined;
      found.left -= 1;
      if (found.left === 0) waiting = waiting.filter((one) => one !== found);
      return found.fault;
    },
  };
}

/** The default body of a failure whose outcome the client cannot know. */
export const UNKNOWN_OUTCOME = {
  code: -1007,
  msg: 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
};
