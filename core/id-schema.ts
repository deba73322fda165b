import { z } from 'zod';
import { UUID } from './ids.ts';

/**
 * A zod schema for a branded id: any lower-case UUID. The brand is only a type, so that answers with ids can be encoded. Not
 * in ids.ts: every page of the web app loads that file.
 */
export const idSchema = <Id extends string>(): z.ZodType<Id, string> =>
  z.string().regex(UUID, 'is not an id (UUID)') as unknown as z.ZodType<Id, string>;
