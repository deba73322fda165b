import { z } from 'zod';
import { operation } from './operation.ts';

/** Of one request; `characters` of the list of paths, so that the address stays below the limits of servers and proxies. */
export const READS_LIMITS = { paths: 20, characters: 2_000 } as const;
const { paths, characters } = READS_LIMITS;

const list = (text: string): string[] => text.split(',');
const ascii = z.string().regex(/^[!-~]*$/, 'may only have letters, digits and signs of an address');

export const readTogether = operation({
  method: 'GET',
  path: '/reads',
  // Each of its reads is authorized like a request of its own.
  auth: 'public',
  gathers: true,
  status: 200,
  summary:
    'Several GET operations that answer with JSON, in one request; each is checked and answered as if sent alone',
  query: z.strictObject({
    /** Comma list of paths under the API root with their queries, each encoded as in an address: `/status,/logs?limit=5`. */
    paths: ascii
      .max(characters)
      .transform(list)
      .pipe(z.array(z.string().max(characters)).max(paths, `lists more than ${paths} paths`)),
    /** Comma list of the entity tags of known answers, in the order of `paths`; empty for an unknown one. */
    tags: ascii.max(1_000).transform(list).optional(),
  }),
  response: z.object({
    /** In the order of `paths`. */
    answers: z.array(
      z.object({
        /** 304 when the answer still has the tag that was sent. */
        status: z.number(),
        tag: z.string().nullable(),
        /** The answer or the problem; null when it is empty. */
        body: z.unknown(),
      }),
    ),
  }),
});
