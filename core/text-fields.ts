import { z } from 'zod';
import { readDecimal, requireDecimal } from '#core/amount/decimal.ts';

/* Text in requests. Each field has a maximum length, so that no request is slow to parse. */

/** Far above any price, quantity or amount. */
const MOST = requireDecimal('1000000000000000000');

/** An amount above zero as decimal text. */
export const positiveAmount = z
  .string()
  .max(40, { error: 'is longer than 40 characters', abort: true })
  .refine((text) => (readDecimal(text) ?? 0n) > 0n, 'is not a decimal number above zero with at most 18 decimals')
  .refine((text) => (readDecimal(text) ?? 0n) < MOST, 'is not below 10^18');

/** An ISO 8601 instant in UTC. */
export const instantText = z.iso.datetime().max(40);

/** A JSON object, such as a config. The strategy validates its content. */
export const jsonObject = z.record(z.string().max(100), z.unknown());
