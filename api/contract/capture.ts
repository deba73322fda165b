import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { instant, ofProfile } from './fields.ts';
import { operation } from './operation.ts';

/** Every tick becomes a log row; the limit keeps a forgotten capture from filling the disk. */
export const MAX_CAPTURE_HOURS = 24;

const capture = {
  ...ofProfile,
  path: '/profiles/:id/capture',
  status: 200,
  /** Null while it is not armed. */
  response: z.object({ until: instant.nullable() }),
} as const;

export const readCapture = operation({
  ...capture,
  method: 'GET',
  summary: 'End of the deep capture, which logs every tick with its inputs',
});

export const armCapture = operation({
  ...capture,
  method: 'PUT',
  summary: 'Captures every tick of the profile in its log until that time; null ends it',
  audit: ['capture.arm', 'capture.disarm'],
  body: z.strictObject({ until: instantText.nullable() }),
});
