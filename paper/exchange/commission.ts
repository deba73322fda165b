import {
  ceilToStep,
  type Decimal,
  divide,
  floorToStep,
  multiply,
  ONE,
  requireDecimal,
  subtract,
} from '#core/amount/decimal.ts';
import type { Account } from './accounts.ts';
import type { Balances } from './balances.ts';

export const BNB = 'BNB';

const SMALLEST = requireDecimal('0.00000001');

/** Truncates a non-negative amount to the 8 decimals of the API. */
export const truncate8 = (amount: Decimal): Decimal => floorToStep(amount, SMALLEST);

/** Rounds a non-negative amount up to 8 decimals. */
export const ceil8 = (amount: Decimal): Decimal => ceilToStep(amount, SMALLEST);

/** An amount of one asset. */
interface Money {
  readonly asset: string;
  readonly amount: Decimal;
}

export interface FeeContext {
  readonly account: Account;
  readonly balances: Balances;
  readonly worthInBnb: (asset: string, amount: Decimal) => Decimal | undefined;
}

/**
 * The fee on a received amount, truncated to 8 decimals. If the account enabled it and its free BNB covers the fee, it
 * is paid in BNB at a discount. Otherwise it is paid in the received asset.
 */
export function commissionOn(received: Money, isMaker: boolean, { account, balances, worthInBnb }: FeeContext): Money {
  const rate = isMaker ? account.makerRate : account.takerRate;
  const worth = account.feesInBnb ? worthInBnb(received.asset, received.amount) : undefined;
  if (worth !== undefined) {
    const amount = truncate8(multiply(multiply(worth, rate), subtract(ONE, account.bnbDiscount)));
    if (amount <= balances.balance(account.name, BNB).free) return { asset: BNB, amount };
  }
  return { asset: received.asset, amount: truncate8(multiply(received.amount, rate)) };
}

const PIVOT = 'USDT';

type LastPrice = (symbol: string) => Decimal | undefined;

/** Values an amount in BNB at the last prices: by a direct pair, or through USDT. */
export function worthInBnb(lastPrice: LastPrice, asset: string, amount: Decimal): Decimal | undefined {
  if (asset === BNB) return amount;
  const direct = convert(lastPrice, { asset, amount }, BNB);
  if (direct !== undefined) return direct;
  const pivot = convert(lastPrice, { asset, amount }, PIVOT);
  return pivot === undefined ? undefined : convert(lastPrice, { asset: PIVOT, amount: pivot }, BNB);
}

function convert(lastPrice: LastPrice, { asset, amount }: Money, into: string): Decimal | undefined {
  const selling = lastPrice(asset + into);
  if (selling !== undefined) return multiply(amount, selling);
  const buying = lastPrice(into + asset);
  return buying === undefined ? undefined : divide(amount, buying);
}
