import { z } from 'zod';
import { requireShape } from './shape.ts';

/** Permissions of a live key that this product checks. */
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

/** Parses GET /sapi/v1/account/apiRestrictions. Throws ExchangeError (unreadable); assumes no missing permission. */
export const parseKeyRestrictions = (body: unknown): KeyRestrictions =>
  requireShape(restrictions, body, 'the permissions of the key');
