import { z } from 'zod';
import { formatDecimal, readDecimal } from '#core/amount/decimal.ts';
import { idSchema } from '#core/id-schema.ts';
import type { AccountId, OrderId, ProfileId, SessionId, TokenId } from '#core/ids.ts';
import { instantText } from '#core/text-fields.ts';

/** A decimal without padding zeros, which needs no change. */
const SHORTEST = /^(?!-0$)-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

/**
 * Money and quantities are decimal text. An answer drops the padding zeros of a numeric column; text that is no decimal with
 * at most 18 places is shown as it is.
 */
export const decimalText = z.codec(z.string(), z.string(), {
  decode(text, context) {
    if (readDecimal(text) === undefined)
      context.issues.push({ code: 'custom', input: text, message: 'is not a decimal number' });
    return text;
  },
  encode(text) {
    if (SHORTEST.test(text)) return text;
    const value = readDecimal(text);
    return value === undefined ? text : formatDecimal(value);
  },
});
/** An instant of an answer: a Date in the api, ISO 8601 in UTC on the wire. Requests hold `instantText`. */
export const instant = z.codec(instantText, z.date(), {
  decode: (text) => new Date(text),
  encode: (at) => at.toISOString(),
});
/** A built-in strategy, or a version of a strategy file: its name, `@` and its SHA-256. */
export const strategyName = z.string().max(130);
/** The text of a page's cursor. */
export const cursor = z.string().max(400);
export const accountId = idSchema<AccountId>();
export const profileId = idSchema<ProfileId>();
export const orderId = idSchema<OrderId>();
export const tokenId = idSchema<TokenId>();
export const sessionId = idSchema<SessionId>();
export const symbolName = z.string().regex(/^[A-Z0-9]{2,30}$/, 'is not a coin pair such as BTCUSDT');
export const numbers = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

/** A warning about a change that was saved. */
export const warning = z.object({ code: z.string(), message: z.string(), reason: z.string(), detail: z.string() });

/** User text for one line. Refuses control and invisible characters, which could forge output in a terminal. */
export const printable = z
  .string()
  .trim()
  .refine((text) => !/[\p{Cc}\p{Cf}]/u.test(text), 'holds a control character');
/** A name from a user. */
export const humanName = printable.min(1, 'is empty').max(60, 'is longer than 60 characters');
/** One that may be empty. */
export const humanLabel = printable.max(60, 'is longer than 60 characters');

/* Operations about one account, profile or coin of the operator. */
export const ofAccount = { auth: 'session', scope: 'account', params: z.object({ id: accountId }) } as const;
export const ofProfile = { auth: 'session', scope: 'profile', params: z.object({ id: profileId }) } as const;
export const ofCoin = {
  auth: 'session',
  scope: 'coin',
  params: z.object({ id: profileId, symbol: symbolName }),
} as const;
