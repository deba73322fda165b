import { z } from 'zod';

/** Who made a change when it was not a session. */
export const auditActor = z.object({ kind: z.enum(['token', 'telegram']), id: z.string(), name: z.string() });
export type AuditActor = z.output<typeof auditActor>;
