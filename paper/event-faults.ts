import { z } from 'zod';

/**
 * A fault to play on user events. `drop` loses the event, `duplicate` sends it twice, `reorder` sends it after the next one,
 * `garbage` sends half of it.
 */
const eventFault = z.object({
  kind: z.enum(['drop', 'duplicate', 'reorder', 'garbage']),
  /** Only events of this type, such as executionReport. */
  event: z.string().optional(),
  times: z.int().min(1).default(1),
});
export const eventFaultList = z.array(eventFault);

export interface EventFaults {
  add(list: z.output<typeof eventFaultList>): void;
  clear(): void;
  /** The frames to send in place of one, in order; `subscriber` tells connections apart. */
  pass(subscriber: object, event: string, frame: string): readonly string[];
}

export function openEventFaults(): EventFaults {
  let waiting: { readonly fault: z.output<typeof eventFault>; left: number }[] = [];
  const held = new WeakMap<object, string[]>();
  const take = (event: string): z.output<typeof eventFault>['kind'] | undefined => {
    const found = waiting.find(({ fault }) => (fault.event ?? event) === event);
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left === 0) waiting = waiting.filter((one) => one !== found);
    return found.fault.kind;
  };
  return {
    add: (list) => {
      waiting.push(...list.map((fault) => ({ fault, left: fault.times })));
    },
    clear: () => {
      waiting = [];
    },
    pass: (subscriber, event, frame) => {
      const kind = take(event);
      const late = held.get(subscriber) ?? [];
      if (kind === 'reorder') {
        held.set(subscriber, [...late, frame]);
        return [];
      }
      held.delete(subscriber);
      const now = { drop: [], duplicate: [frame, frame], garbage: [frame.slice(0, frame.length / 2)] };
      return [...(kind === undefined ? [frame] : now[kind]), ...late];
    },
  };
}
