import { z } from 'zod';
import { instant, profileId } from './fields.ts';
import { operation } from './operation.ts';

/** Every tick becomes a row of the log, so that forgetting to disarm it must not fill the disk. */
export const MOST_CAPTURE_HOURS = 24;

const capture = {
  path: '/profiles/:id/capture',
  auth: 'session',
  status: 200,
  params: z.object({ id: profileId }),
  /** Null while it is not armed. */
  response: z.object({ until: instant.nullable() }),
} as const;

export const readCapture = operation({
  ...capture,
  method: 'GET',
  summary: 'Until when every tick is captured with everything that it looked at',
});

export const armCapture = operation({
  ...capture,
  method: 'PUT',
  summary: 'Captures every tick of the profile in its log until then; null ends it',
  body: z.strictObject({ until: instant.nullable() }),
});
