import { z } from 'zod';
import { TOPICS } from '#core/installation/events.ts';

/**
 * A server frame of the WebSocket `/api/ws`: an event in order of `seq`, a notice that some events can no longer be
 * replayed, or a heartbeat with the `seq` of the newest event, sent every second. Each message is an array of frames.
 */
export const serverFrame = z.union([
  z.object({
    seq: z.number(),
    at: z.iso.datetime(),
    topic: z.enum(TOPICS),
    id: z.string().optional(),
    data: z.unknown(),
  }),
  z.object({ resync: z.literal(true), seq: z.number() }),
  z.object({ heartbeat: z.literal(true), seq: z.number() }),
]);
export type ServerFrame = z.infer<typeof serverFrame>;

export const clientFrame = z.union([
  z.strictObject({ subscribe: z.array(z.enum(TOPICS)) }),
  z.strictObject({ since: z.number().int().min(0) }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;
