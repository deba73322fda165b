import { readCaptureUntil, saveCaptureUntil } from '#storage/operator/profiles.ts';
import { armCapture, MAX_CAPTURE_HOURS, readCapture } from '#api/contract/capture.ts';
import type { Routes } from '#api/handle.ts';
import { invalidField } from '#api/frame/problem.ts';
import { announceProfile } from './profiles.ts';

const HOUR_MS = 3_600_000;
/** An expired capture is not armed. */
const captureView = (until: Date | null, nowMs: number) => ({
  until: until !== null && until.getTime() > nowMs ? until : null,
});

export function mountCapture({ context, handle }: Routes): void {
  const { database, now } = context;
  handle(readCapture, async ({ profile }) =>
    captureView(await readCaptureUntil(database.kysely, profile.id), now().getTime()),
  );

  handle(armCapture, async ({ commit, params, body }) => {
    const nowMs = now().getTime();
    const until = body.until === null ? null : new Date(body.until);
    if (until !== null && (until.getTime() <= nowMs || until.getTime() > nowMs + MAX_CAPTURE_HOURS * HOUR_MS)) {
      throw invalidField('until', `must lie in the future, and at most ${MAX_CAPTURE_HOURS} hours ahead`);
    }
    const saved = await commit(async ({ transaction, profile: { id } }) => {
      const before = captureView(await readCaptureUntil(transaction, id), nowMs);
      await saveCaptureUntil(transaction, id, until);
      const after = captureView(until, nowMs);
      return { answer: after, action: until === null ? 'capture.disarm' : 'capture.arm', before, after };
    });
    await announceProfile(context, params.id);
    return saved;
  });
}
