import { lockProfile, readCaptureUntil, saveCaptureUntil } from '#storage/operator/profiles.ts';
import { auditChange } from '#api/audit.ts';
import { armCapture, MAX_CAPTURE_HOURS, readCapture } from '#api/contract/capture.ts';
import type { Routes } from '#api/handle.ts';
import { invalidField } from '#api/frame/problem.ts';
import { requireFoundProfile, requireProfile } from '#api/require.ts';
import { announceProfile } from './profiles.ts';

const HOUR_MS = 3_600_000;
/** An expired capture is not armed. */
const captureView = (until: Date | null, nowMs: number) => ({
  until: until !== null && until.getTime() > nowMs ? until.toISOString() : null,
});

export function mountCapture({ context, handle }: Routes): void {
  const { database, now } = context;
  handle(readCapture, async ({ operator, params }) => {
    const { id } = await requireProfile(database.kysely, operator, params.id);
    return captureView(await readCaptureUntil(database.kysely, id), now().getTime());
  });

  handle(armCapture, async ({ operator, caller, params, body }) => {
    const nowMs = now().getTime();
    const until = body.until === null ? null : new Date(body.until);
    if (until !== null && (until.getTime() <= nowMs || until.getTime() > nowMs + MAX_CAPTURE_HOURS * HOUR_MS)) {
      throw invalidField('until', `must lie in the future, and at most ${MAX_CAPTURE_HOURS} hours ahead`);
    }
    await database.transaction(async (transaction) => {
      const { id } = requireFoundProfile(await lockProfile(transaction, operator.user.id, params.id), params.id);
      const before = captureView(await readCaptureUntil(transaction, id), nowMs);
      await saveCaptureUntil(transaction, id, until);
      const change = { action: until === null ? 'capture.disarm' : 'capture.arm', subject: id };
      await auditChange(transaction, { operator, caller }, { ...change, before, after: captureView(until, nowMs) });
    });
    await announceProfile(context, params.id);
    return captureView(until, nowMs);
  });
}
