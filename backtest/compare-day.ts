import { INTERVAL_MS } from '#core/market/candle.ts';
import { add, divide, formatDecimal, ZERO } from '#core/amount/decimal.ts';
import type { Side } from '#core/order/order.ts';
import type { ComparedCoin } from '#core/research/live-comparison.ts';
import type { BookedFill } from './book.ts';
import { runKernel } from './kernel.ts';
import type { KernelInput } from './run-state.ts';

/** Live decisions and trades of one coin; times in ms of market time. */
export interface LiveDay {
  readonly fromMs: number;
  readonly toMs: number;
  /** Runs of equal decisions, oldest first. */
  readonly decisions: readonly {
    readonly reason: string;
    readonly sentence: string;
    readonly firstMs: number;
    readonly lastMs: number;
  }[];
  readonly trades: readonly Trade[];
}

interface Trade {
  readonly atMs: number;
  readonly side: Side;
  readonly quantity: string;
  readonly price: string;
  readonly reason: string;
}

/** Trades further apart than this are different trades. */
const SAME_TRADE_MS = 10 * 60_000;
const MOST_SHOWN = 50;

type Compared = Pick<ComparedCoin, 'compared' | 'agreed' | 'differing' | 'fills'>;

/**
 * Runs the kernel over the candles and compares its decisions and fills with those of the live engine. A close without a
 * live decision is not compared. The live engine decides at every price, the kernel at closes. A different reason at one
 * close is therefore no error; a different trade is reported with its reason.
 */
export function compareDay(kernel: KernelInput, live: LiveDay): Compared {
  const run = runKernel({ ...kernel, recordDecisions: true });
  const { openMs } = kernel.detail.columns;
  const lengthMs = INTERVAL_MS[kernel.detail.interval];
  const replayedAt = new Map<number, string>();
  for (const [row, code] of (run.decisions ?? []).entries())
    replayedAt.set((openMs[kernel.start + row] ?? 0) + lengthMs, run.reasons[code] ?? '');
  const differing: ComparedCoin['differing'] = [];
  let [compared, agreed] = [0, 0];
  for (const [atMs, replayed] of replayedAt) {
    const decision = atMs < live.fromMs || atMs > live.toMs ? undefined : decisionAt(live, atMs, lengthMs);
    if (decision === undefined) continue;
    compared += 1;
    if (decision.reason === replayed) agreed += 1;
    else if (differing.length < MOST_SHOWN) {
      const at = new Date(atMs).toISOString();
      differing.push({ at, live: decision.reason, replayed, sentence: decision.sentence });
    }
  }
  const replayed = tradesOf(run.book.fills).filter(({ atMs }) => atMs >= live.fromMs && atMs <= live.toMs);
  const whyLive = (atMs: number): string | null => decisionAt(live, atMs, SAME_TRADE_MS)?.sentence ?? null;
  const whyReplayed = (atMs: number): string | null => replayedAt.get(atMs - (atMs % lengthMs) + lengthMs) ?? null;
  return { compared, agreed, differing, fills: pairs(live.trades, replayed, { whyLive, whyReplayed }) };
}

/** The decision in force at a moment, or the first one within a time after it. */
function decisionAt({ decisions }: LiveDay, atMs: number, withinMs: number) {
  const held = decisions.findLast(({ firstMs, lastMs }) => firstMs <= atMs && lastMs >= atMs);
  return held ?? decisions.find(({ firstMs }) => firstMs > atMs && firstMs < atMs + withinMs);
}

/** Fills of one order at one moment are one trade. */
function tradesOf(fills: readonly BookedFill[]): Trade[] {
  const groups = Map.groupBy(fills, ({ fill, reason }) => `${fill.at.getTime()} ${fill.side} ${reason}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const quantity = group.reduce((sum, { fill }) => add(sum, fill.quantity), ZERO);
    const quote = group.reduce((sum, { fill }) => add(sum, fill.quoteQuantity), ZERO);
    const { fill, reason } = first;
    const price = group.length === 1 ? fill.price : divide(quote, quantity);
    const texts = { quantity: formatDecimal(quantity), price: formatDecimal(price) };
    return [{ atMs: fill.at.getTime(), side: fill.side, reason, ...texts }];
  });
}

interface Why {
  readonly whyLive: (atMs: number) => string | null;
  readonly whyReplayed: (atMs: number) => string | null;
}

const shown = ({ atMs, quantity, price, reason }: Trade) => ({
  at: new Date(atMs).toISOString(),
  quantity,
  price,
  reason,
});

/** Pairs each live trade with the nearest replayed trade of its side. An unpaired trade comes with the other's decision. */
function pairs(
  live: readonly Trade[],
  replayed: readonly Trade[],
  { whyLive, whyReplayed }: Why,
): ComparedCoin['fills'] {
  const left = new Set(replayed);
  const paired = live.map((trade) => {
    const apart = ({ atMs }: Trade): number => Math.abs(atMs - trade.atMs);
    const near = [...left].filter((one) => one.side === trade.side && apart(one) <= SAME_TRADE_MS);
    const [match] = near.toSorted((a, b) => apart(a) - apart(b));
    if (match === undefined)
      return {
        atMs: trade.atMs,
        side: trade.side,
        live: shown(trade),
        replayed: null,
        bps: null,
        why: whyReplayed(trade.atMs),
      };
    left.delete(match);
    const worse = (Number(trade.price) / Number(match.price) - 1) * (trade.side === 'buy' ? 1 : -1);
    const why = trade.reason === match.reason ? null : `${trade.reason} and ${match.reason}`;
    return { atMs: trade.atMs, side: trade.side, live: shown(trade), replayed: shown(match), bps: worse * 10_000, why };
  });
  const alone = [...left].map((trade) => {
    const { atMs, side } = trade;
    return { atMs, side, live: null, replayed: shown(trade), bps: null, why: whyLive(atMs) };
  });
  return [...paired, ...alone].toSorted((a, b) => a.atMs - b.atMs).map(({ atMs: _atMs, ...pair }) => pair);
}
