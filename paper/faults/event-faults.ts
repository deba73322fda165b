import { z } from 'zod';

/**
 * A fault for events. `drop` loses the event, `duplicate` sends it twice, `reorder` sends it after the next one.
 * `garbage` sends half of it, `delay` sends it `delayMs` of wall time later.
 */
const eventFault = z.object({
  kind: z.enum(['drop', 'duplicate', 'reorder', 'garbage', 'delay']),
  /** Only events of this type, such as executionReport; on market streams only those of this stream. */
  event: z.string().optional(),
  delayMs: z.number().min(0).default(1000),
  times: z.int().min(1).default(1),
});
export const eventFaultList = z.array(eventFault);

export interface EventFaults {
  add(list: z.output<typeof eventFaultList>): void;
  clear(): void;
  /** Sends the frame, or the frames that a fault puts in its place. */
  pass(subscriber: Subscriber, event: string, frame: string): void;
}

interface Subscriber {
  send(frame: string): void;
}

export function openEventFaults(): EventFaults {
  let waiting: { readonly fault: z.output<typeof eventFault>; left: number }[] = [];
  const held = new WeakMap<object, string[]>();
  const take = (event: string): z.output<typeof eventFault> | undefined => {
    const found = waiting.find(({ fault }) => (fault.event ?? event) === event);
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left === 0) waiting = waiting.filter((entry) => entry !== found);
    return found.fault;
  };
  return {
    add: (list) => {
      waiting.push(...list.map((fault) => ({ fault, left: fault.times })));
    },
    clear: () => {
      waiting = [];
    },
    pass: (subscriber, event, frame) => {
      if (waiting.length === 0 && !held.has(subscriber)) return subscriber.send(frame);
      const fault = take(event);
      const late = held.get(subscriber) ?? [];
      if (fault?.kind === 'reorder') return void held.set(subscriber, [...late, frame]);
      held.delete(subscriber);
      if (fault?.kind === 'delay') setTimeout(() => subscriber.send(frame), fault.delayMs).unref();
      const now = { drop: [], delay: [], duplicate: [frame, frame], garbage: [frame.slice(0, frame.length / 2)] };
      for (const text of [...(fault === undefined ? [frame] : now[fault.kind]), ...late]) subscriber.send(text);
    },
  };
}
