import { divide, requireDecimal } from '#core/amount/decimal.ts';
import type { Costs } from './research.ts';

/* Without the schema library, which would be a fifth of the script of a page. */

/** The defaults of the cost terms. */
export const DEFAULT_COSTS = {
  feeBps: '10',
  feeIn: 'received',
  slippageBps: '2',
  spreadBps: '2',
  volumePercent: '5',
} as const satisfies Costs;
/** Days and starting balance, in quote, of the preview of a strategy file. */
export const [PREVIEW_DAYS, PREVIEW_BALANCE] = [90, '10000'] as const;
export const COST_NAMES: readonly string[] = [...Object.keys(DEFAULT_COSTS), 'makerFeeBps'];

const BPS = requireDecimal('10000');
const [TWO, HUNDRED] = [requireDecimal('2'), requireDecimal('100')];
const rateOf = (text: string) => divide(requireDecimal(text), BPS);

/** The costs as exact fractions, as a backtest takes them. */
export function chargesOf({ feeBps, makerFeeBps, feeIn, slippageBps, spreadBps, volumePercent: volume }: Costs) {
  const participation = divide(requireDecimal(volume), HUNDRED);
  return {
    feeRate: rateOf(feeBps),
    ...(makerFeeBps === undefined ? {} : { makerFeeRate: rateOf(makerFeeBps) }),
    feeIn,
    slippage: rateOf(slippageBps),
    halfSpread: divide(rateOf(spreadBps), TWO),
    ...(participation > 0n ? { participation } : {}),
  };
}

/** Key of the result of coins that share a balance. */
export const BASKET = 'basket';
