import assert from 'node:assert/strict';
import { runPortfolio } from '#backtest/portfolio-run.ts';
import type { BookedFill } from '#backtest/book.ts';
import type { Series } from '#backtest/columns.ts';
import { runKernel } from '#backtest/kernel.ts';
import { openKernel } from '#backtest/run.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { formatDecimal, requireDecimal, toNumber, ZERO } from '#core/amount/decimal.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Play, Played, PlayedFill } from './live.ts';

const MINUTE_MS = INTERVAL_MS['1m'];
const FEE_RATE = requireDecimal('0.001');

const played = (symbol: string, { fill, reason }: BookedFill): PlayedFill => {
  const { side, quantity, price } = fill;
  return { symbol, side, quantity, price, atMs: fill.at.getTime(), reason };
};

/** Runs the same minutes through the backtest: one coin alone, or all coins together under the limits of the profile. */
export function playKernel(play: Play, rules: ReadonlyMap<string, SymbolRules>): Played {
  const reasons = new Map([...play.minutes.keys()].map((symbol) => [symbol, new Map<number, string>()]));
  const kernels = [...play.minutes].map(([symbol, candles]) => kernelOf(play, rules.get(symbol), candles));
  if (kernels.length > 1 || play.limits !== undefined) {
    const id = newId<ProfileId>();
    const own = play.limits === undefined ? [] : [{ scope: 'profile' as const, subject: id, limits: play.limits }];
    const portfolio = { profiles: [{ id, coins: kernels }], limits: { timezone: 'UTC', limits: own } };
    const { fills } = runPortfolio(portfolio, ({ book }, nowMs, reason) =>
      reasons.get(book.rules.symbol)?.set(nowMs - MINUTE_MS, reason),
    );
    return { rules, reasons, fills: fills.map((fill) => played(fill.symbol, fill)) };
  }
  const fills = kernels.flatMap((kernel) => {
    const { symbol } = kernel.rules;
    const run = runKernel({ ...kernel, recordDecisions: true });
    const { openMs } = kernel.detail.columns;
    for (const [i, code] of (run.decisions ?? new Uint8Array()).entries())
      reasons.get(symbol)?.set(openMs[kernel.start + i] ?? 0, run.reasons[code] ?? '');
    return run.book.fills.map((fill) => played(symbol, fill));
  });
  return { rules, reasons, fills };
}

function kernelOf({ strategy, config, balance, fromMs, toMs }: Play, rules: SymbolRules | undefined, candles: Series) {
  assert.ok(rules !== undefined);
  const terms = { balance: requireDecimal(balance), feeRate: FEE_RATE, slippage: ZERO };
  const { planner, ...bound } = strategy.bind(config);
  const opened = openKernel({ bound, rules, terms, candles, fromMs, toMs });
  assert.ok(opened.kind === 'kernel', opened.kind === 'refused' ? opened.sentence : '');
  return { ...opened.kernel, bound: planner === undefined ? bound : { ...bound, planner } };
}

interface Difference {
  readonly symbol: string;
  readonly at: string;
  readonly live: string;
  readonly backtest: string;
}

interface Comparison {
  readonly name: string;
  /** Closes at which both sides decided. */
  readonly closes: number;
  readonly decisions: readonly Difference[];
  readonly pairs: number;
  readonly fills: readonly Difference[];
  /** By how much live paid more and received less, in basis points of the price: worst pair and sum over all. */
  readonly worstBps: number;
  readonly totalBps: number;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const BPS = 10_000;

function decisionsThatDiffer(live: Played, backtest: Played): { closes: number; decisions: Difference[] } {
  const decisions: Difference[] = [];
  let closes = 0;
  for (const [symbol, wanted] of backtest.reasons) {
    const got = live.reasons.get(symbol) ?? new Map<number, string>();
    for (const openMs of new Set([...wanted.keys(), ...got.keys()])) {
      closes += 1;
      const [one, other] = [got.get(openMs) ?? 'not asked', wanted.get(openMs) ?? 'not asked'];
      if (one === other) continue;
      decisions.push({ symbol, at: iso(openMs + MINUTE_MS), live: one, backtest: other });
    }
  }
  return { closes, decisions };
}

const textOf = (fill: PlayedFill | undefined): string =>
  fill === undefined
    ? 'nothing'
    : `${fill.side} ${formatDecimal(fill.quantity)} @ ${formatDecimal(fill.price)} in the minute of ${iso(fill.atMs).slice(0, 16)} (${fill.reason})`;

/** Pairs the fills of a coin in order; side, quantity, minute and reason must be the same, a price may differ and is measured. */
export function compare(name: string, live: Played, backtest: Played): Comparison {
  const fills: Difference[] = [];
  let [worstBps, totalBps, pairs] = [0, 0, 0];
  for (const symbol of backtest.reasons.keys()) {
    const [one, other] = [live, backtest].map((side) => side.fills.filter((fill) => fill.symbol === symbol));
    assert.ok(one !== undefined && other !== undefined);
    for (let i = 0; i < Math.max(one.length, other.length); i++) {
      const [a, b] = [one[i], other[i]];
      const minute = (fill: PlayedFill): number => Math.floor(fill.atMs / MINUTE_MS);
      if (
        a === undefined ||
        b === undefined ||
        a.side !== b.side ||
        a.reason !== b.reason ||
        a.quantity !== b.quantity ||
        minute(a) !== minute(b)
      ) {
        fills.push({ symbol, at: iso((a ?? b)?.atMs ?? 0), live: textOf(a), backtest: textOf(b) });
        continue;
      }
      pairs += 1;
      const bps = (toNumber(a.price) / toNumber(b.price) - 1) * BPS * (a.side === 'buy' ? 1 : -1);
      totalBps += bps;
      if (Math.abs(bps) > Math.abs(worstBps)) worstBps = bps;
    }
  }
  return { name, ...decisionsThatDiffer(live, backtest), pairs, fills, worstBps, totalBps };
}

const SHOWN = 10;

/** The comparison in words: one line, then the first differences. */
export function reportOf({ name, closes, decisions, pairs, fills, worstBps, totalBps }: Comparison): string {
  const lines = [...decisions, ...fills].slice(0, SHOWN);
  const head =
    `${name}: ${closes} decisions, ${decisions.length} differ; ${pairs + fills.length} fills, ${fills.length} differ; ` +
    `prices differ by ${worstBps.toFixed(2)} bp at most, ${totalBps.toFixed(2)} bp over all`;
  return [
    head,
    ...lines.map((each) => `  ${each.at} ${each.symbol}: live ${each.live}; backtest ${each.backtest}`),
  ].join('\n');
}
