import { describe, type Numbers } from '#core/decision/decision.ts';
import { formatDecimal, fromSteps } from '#core/amount/decimal.ts';
import { SELL_FAILED_STOP } from '#core/sizing/protective-stop.ts';
import type { BoundStrategy } from '#strategies/strategy.ts';
import { runKernel } from './kernel.ts';
import type { KernelInput } from './run-state.ts';
import { openPortfolio, type PortfolioInput } from './portfolio-backtest.ts';
import { runPortfolio } from './portfolio-run.ts';
import type { FillRecord } from '#core/research/backtest-result.ts';
import { type BacktestInput, openKernel } from './run.ts';

/** Why an order was placed: the time of the decision, its numbers, and both as a sentence. */
export interface Explained {
  readonly decidedAt: string;
  readonly numbers: Numbers;
  readonly sentence: string;
}

/**
 * The numbers behind every fill of a result, in the order of `fills`. It repeats the run and requests an explanation for
 * each decision other than "nothing". A stop on the exchange is explained by its last level.
 */
export function explainFills(run: BacktestInput | PortfolioInput, fills: readonly FillRecord[]): Explained[] {
  const found = new Map<FillRecord, Explained>();
  const explained = (kernel: KernelInput): KernelInput => {
    const own = fills.filter(({ symbol }) => symbol === undefined || symbol === kernel.rules.symbol);
    const bound = explaining(kernel.bound, own, (fill, why) => found.set(fill, why));
    return { ...kernel, stepwise: true, bound };
  };
  if ('profiles' in run) {
    const opened = openPortfolio(run);
    if (opened.kind === 'refused') return [];
    const { profiles, ...account } = opened.portfolio;
    runPortfolio({ ...account, profiles: profiles.map(({ id, coins }) => ({ id, coins: coins.map(explained) })) });
  } else {
    const opened = openKernel(run);
    if (opened.kind === 'refused') return [];
    runKernel(explained(opened.kernel));
  }
  return fills.map((fill) => found.get(fill) ?? { decidedAt: fill.at, numbers: {}, sentence: '' });
}

/** Wraps the strategy so that it reports the reason of each fill once its time has passed. */
function explaining(
  bound: BoundStrategy,
  fills: readonly FillRecord[],
  report: (fill: FillRecord, why: Explained) => void,
): BoundStrategy {
  return {
    ...bound,
    create(grid, state) {
      const instance = bound.create(grid, state);
      const last = new Map<string, Explained>();
      const keep = (reason: string, atMs: number, why: Omit<Explained, 'decidedAt'>): void => {
        last.set(reason, { decidedAt: new Date(atMs).toISOString(), ...why });
      };
      let next = 0;
      const tellUntil = (nowMs: number): void => {
        for (let fill = fills[next]; fill !== undefined && Date.parse(fill.at) < nowMs; fill = fills[next]) {
          const why = last.get(fill.reason);
          if (why !== undefined) report(fill, why);
          next += 1;
        }
      };
      return {
        ...instance,
        decide(view) {
          tellUntil(view.nowMs);
          const decision = instance.decide(view);
          const priceTicks = view.price;
          if (decision.kind !== 'nothing') {
            const text = bound.reasons[decision.reason];
            const numbers = instance.explain(decision, view);
            keep(decision.reason, view.nowMs, { numbers, sentence: text === undefined ? '' : describe(text, numbers) });
          }
          const ticks = view.sellable ? instance.stopTicks(view) : 0;
          if (ticks > 0) {
            const stop = formatDecimal(fromSteps(ticks, grid.tick));
            const sentence = `The price reached the stop at ${stop}.`;
            if (decision.kind !== 'sell') keep(instance.stopReason(view), view.nowMs, { numbers: { stop }, sentence });
            const price = formatDecimal(fromSteps(priceTicks, grid.tick));
            keep(SELL_FAILED_STOP.reason, view.nowMs, {
              numbers: { stop, price },
              sentence: `The stop on the exchange was triggered and did not sell in time; the price was ${price}.`,
            });
          }
          return decision;
        },
      };
    },
  };
}
