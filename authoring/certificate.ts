import { z } from 'zod';

/** Version of the check: a live account requires a certificate of this one. */
export const CHECK_VERSION = 1;

/** The result of a passed check. It says what was checked, never that the strategy is good. */
export const certificateSchema = z.object({
  hash: z.string(),
  check: z.int(),
  at: z.string(),
  seeds: z.array(z.int()),
  candles: z.int(),
  fills: z.int(),
});
export type Certificate = z.output<typeof certificateSchema>;

export function isCertified(certificate: unknown, hash: string): boolean {
  const parsed = certificateSchema.safeParse(certificate);
  return parsed.success && parsed.data.check === CHECK_VERSION && parsed.data.hash === hash;
}
