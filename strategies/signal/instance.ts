import type { Decision, Numbers } from '#core/decision/decision.ts';
import type { TickView } from '#core/judge/view.ts';
import { readFactor } from '#strategies/fields.ts';
import { awayText, priceText, profitText, quantityText } from '#strategies/grid-text.ts';
import type { Grid, StrategyInstance } from '#strategies/strategy.ts';
import { snapDown } from '#strategies/ticks.ts';
import type { Config } from './config.ts';
import { ANSWERS } from './reasons.ts';

interface Params {
  readonly buys: boolean;
  readonly share: number;
  readonly stop: number;
  readonly exitInBear: boolean;
  readonly minWorth: number;
}

/** Acts on the signal of the view, and sells at its stop without one. The engine gives it each signal until it is answered. */
export function createInstance(config: Config, grid: Grid): StrategyInstance {
  const params: Params = {
    buys: config.entryEnabled,
    share: readFactor(config.sellShare) || 1,
    stop: readFactor(config.stopLossPercentage),
    exitInBear: config.regime.policy === 'exit-in-bear',
    minWorth: grid.minWorth ?? 0,
  };
  return {
    onCandle() {},
    onFill() {},
    decide: (view) => (view.sellable ? whileHeld(params, view) : whileFlat(params, view)),
    reach(view, into) {
      into.below = stopOf(params, view) || Number.NEGATIVE_INFINITY;
      into.above = Number.POSITIVE_INFINITY;
    },
    explain: (decision, view) => explain(params, grid, { decision, view }),
    stopTicks: (view) => stopOf(params, view),
    stopReason: () => 'exit-stop-loss',
    plan: (view) =>
      view.sellable
        ? [
            { name: 'cost', ticks: view.avgTicks },
            { name: 'stop', ticks: stopOf(params, view) },
          ]
        : [],
    state: () => ({ v: 1 }),
  };
}

const stopOf = ({ stop }: Params, { sellable, avgTicks }: TickView): number =>
  sellable && stop > 0 ? snapDown(avgTicks * stop) : 0;

function whileHeld(params: Params, view: TickView): Decision {
  const { signal } = view;
  const stop = stopOf(params, view);
  if (view.exitOrderOpen) return ANSWERS['hold-exit-order-open'];
  if (view.price <= stop) return ANSWERS['exit-stop-loss'];
  if (params.exitInBear && view.regime === -1) return ANSWERS['exit-regime'];
  if (signal === null) return ANSWERS[stop > 0 ? 'hold-no-signal' : 'hold-no-stop'];
  if (signal.action === 'buy') return ANSWERS['hold-held-already'];
  if (signal.action === 'close') return ANSWERS['exit-signal-close'];
  const lots = partOf(params, view);
  return lots === view.lots ? ANSWERS['exit-signal'] : { ...ANSWERS['exit-signal'], kind: 'sell', lots };
}

/** The lots that a signal sells; all of them when the part or the rest is too small to sell. */
function partOf({ share, minWorth }: Params, { lots, price }: TickView): number {
  const part = Math.floor(lots * share);
  const isTooSmall = part <= 0 || part * price < minWorth || (lots - part) * price < minWorth;
  return isTooSmall ? lots : part;
}

function whileFlat(params: Params, view: TickView): Decision {
  const { signal } = view;
  if (view.entryOrderOpen) return ANSWERS['entry-order-open'];
  if (signal === null) return ANSWERS['entry-no-signal'];
  if (signal.action !== 'buy') return ANSWERS['entry-nothing-held'];
  if (!params.buys) return ANSWERS['entry-disabled'];
  return ANSWERS[view.readable ? 'entry-signal' : 'entry-config-unreadable'];
}

interface ExplainInput {
  readonly decision: Decision;
  readonly view: TickView;
}

function explain(params: Params, grid: Grid, { decision, view }: ExplainInput): Numbers {
  const { signal } = view;
  const price = priceText(view.price, grid);
  const asked = signal === null ? {} : { key: signal.key, inlet: signal.inlet, age: (signal.ageMs / 1_000).toFixed(1) };
  if (decision.reason === 'entry-config-unreadable') return { price, ...asked, path: null };
  if (!view.sellable) return { price, ...asked };
  const stop = stopOf(params, view);
  const numbers = {
    price,
    ...asked,
    avg: priceText(view.avgTicks, grid),
    lots: quantityText(view.lots, grid),
    stop: priceText(stop, grid),
    away: awayText(stop, view.price),
  };
  if (decision.kind !== 'sell') return numbers;
  const lots = decision.lots === 'all' ? view.lots : decision.lots;
  const sale = { lots, price: view.price, avgTicks: view.avgTicks, fee: view.takerFee };
  return { ...numbers, estPnl: profitText(sale, grid) };
}
