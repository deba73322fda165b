import { z } from 'zod';
import { requireShape } from './shape.ts';

/** What a live key may do, as far as it matters here. */
export interface KeyRestrictions {
  readonly enableReading: boolean;
  readonly enableWithdrawals: boolean;
  readonly enableSpotAndMarginTrading: boolean;
}

const restrictions = z.object({
  enableReading: z.boolean(),
  enableWithdrawals: z.boolean(),
  enableSpotAndMarginTrading: z.boolean(),
});

/** GET /sapi/v1/account/apiRestrictions. Throws ExchangeError (unreadable): a missing permission is never assumed. */
export const parseKeyRestrictions = (body: unknown): KeyRestrictions =>
  requireShape(restrictions, body, 'the permissions of the key');
