import { z } from 'zod';
import { UUID } from './ids.ts';

/** A zod schema for a branded id: any lower-case UUID. Not in ids.ts: every page of the web app loads that file. */
export const idSchema = <Id extends string>(): z.ZodType<Id, string> =>
  z
    .string()
    .regex(UUID, 'is not an id (UUID)')
    .transform((text) => text as Id);
