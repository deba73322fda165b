import { z } from 'zod';

/**
 * A fault for requests. `fail-before` answers without executing the request. `apply-then-fail` executes it, stores the
 * result and then answers with the failure. `reset` cuts the connection (after execution if `applied`). `delay` waits,
 * then executes (if `applied` it executes, then waits with the answer). `late` accepts the request, answers with the
 * failure at once, and executes it after the delay.
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
  /** Headers of the failure, such as Retry-After. */
  headers: z.record(z.string(), z.string()).default({}),
  delayMs: z.number().min(0).default(0),
  times: z.int().min(1).default(1),
  /** Applies only to every n-th matching request. */
  every: z.int().min(1).default(1),
});
export const faultList = z.array(fault);
export type Fault = z.output<typeof fault>;

export interface Faults {
  add(list: readonly Fault[]): void;
  clear(): void;
  /** The first fault that matches the request. It is used up after `times` requests. */
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
      waiting.push(...list.map((fault) => ({ fault, left: fault.times, passed: 0 })));
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
      const found = matching.find((entry) => {
        entry.passed += 1;
        return entry.passed % entry.fault.every === 0;
      });
      if (found === undefined) return undefined;
      found.left -= 1;
      if (found.left === 0) waiting = waiting.filter((entry) => entry !== found);
      return found.fault;
    },
  };
}

/** The default body of a failure with an unknown outcome. */
export const UNKNOWN_OUTCOME = {
  code: -1007,
  msg: 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
};
