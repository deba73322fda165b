import { z } from 'zod';
import type { Wallet } from '#core/account/account.ts';
import { decimal, float, requireShape } from './shape.ts';
import { formatDecimal } from '#core/amount/decimal.ts';

const amount = decimal.transform(formatDecimal);
const account = z.object({
  canTrade: z.boolean().default(true),
  permissions: z.array(z.string()).default([]),
  balances: z.array(z.object({ asset: z.string(), free: amount, locked: amount })),
  commissionRates: z.object({ maker: float, taker: float }).optional(),
  makerCommission: z.number().optional(),
  takerCommission: z.number().optional(),
});

interface AccountReading {
  /** Permission of the account, not of the key. */
  readonly canTrade: boolean;
  readonly permissions: readonly string[];
  readonly balances: Wallet['balances'];
  /** Shares of the traded amount: 0.001 is 0.1 %. */
  readonly makerFee: number;
  readonly takerFee: number;
}

const BASIS_POINTS = 10_000;
/** Fee of an account without discounts, in basis points; used when a reply carries no fee. */
const STANDARD_FEE = 10;

/** Parses GET /api/v3/account; leaves out assets with a zero balance. Throws ExchangeError (unreadable). */
export function parseAccount(body: unknown): AccountReading {
  const reply = requireShape(account, body, 'the account');
  return {
    canTrade: reply.canTrade,
    permissions: reply.permissions,
    balances: Object.fromEntries(
      reply.balances
        .filter(({ free, locked }) => free !== '0' || locked !== '0')
        .map(({ asset, free, locked }) => [asset, { free, locked }]),
    ),
    makerFee: reply.commissionRates?.maker ?? (reply.makerCommission ?? STANDARD_FEE) / BASIS_POINTS,
    takerFee: reply.commissionRates?.taker ?? (reply.takerCommission ?? STANDARD_FEE) / BASIS_POINTS,
  };
}
