import type { Explained } from '#backtest/explain.ts';
import type { BacktestResult, FillRecord } from '#core/research/backtest-result.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
const orDash = (value: number | null, places = 2): string => (value === null ? '–' : value.toFixed(places));
const time = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

function duration(ms: number): string {
  if (ms >= DAY_MS) return `${(ms / DAY_MS).toFixed(1)} d`;
  return ms >= HOUR_MS ? `${(ms / HOUR_MS).toFixed(1)} h` : `${Math.round(ms / 60_000)} min`;
}

/** Pads every column to its widest cell; the first `left` columns to the left, the others to the right. */
export function columns(rows: readonly (readonly string[])[], left: number): string[] {
  const widths = (rows[0] ?? []).map((_cell, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const pad = (cell: string, at: number): string =>
    at < left ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}

function costText({ feeBps, makerFeeBps, feeIn, slippageBps, spreadBps, volumePercent }: BacktestResult): string {
  const fees = `fee ${feeBps} bps${makerFeeBps === feeBps ? '' : ` (maker fee ${makerFeeBps} bps)`}`;
  const asset = feeIn === 'other' ? ' in a third asset' : '';
  const volume = volumePercent === 0 ? 'any amount' : `at most ${volumePercent} % of the volume`;
  return `${fees}${asset}, slippage ${slippageBps} bps, spread ${spreadBps} bps, ${volume}`;
}

function ambiguityText({ candles, stops, crossed }: BacktestResult['ambiguity']): string {
  const kinds = [
    ...(stops === 0 ? [] : [`${stops} with a stop whose limit price was broken`]),
    ...(crossed === 0 ? [] : [`${crossed} crossed a buy or sell price and closed elsewhere`]),
  ];
  return `${candles} ambiguous candles${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}`;
}

function metricRows(result: BacktestResult): string[][] {
  const { metrics: m, drawdown, quoteAsset, ambiguity } = result;
  const { used, returnOnUsed, meanExposure, equalExposure, alpha } = m.capital;
  const money = (value: number | null): string => (value === null ? '–' : `${value.toFixed(2)} ${quoteAsset}`);
  const recovered = drawdown.recoveredAt === null ? 'not recovered' : `recovered ${time(drawdown.recoveredAt)}`;
  const period = `${time(drawdown.peakAt)} to ${time(drawdown.troughAt)}, ${recovered}`;
  return [
    ['return', percent(m.totalReturn), `${money(m.finalEquity)} from ${Number(result.balance).toFixed(2)}`],
    ['return on capital used', returnOnUsed === null ? '–' : percent(returnOnUsed), `at most ${money(used)} in use`],
    ['return per year', m.cagr === null ? '–' : percent(m.cagr), m.cagr === null ? 'needs a period of 90 days' : ''],
    [
      'ambiguity, worst and best',
      `${ambiguity.worst.toFixed(2)}, ${ambiguity.best.toFixed(2)}`,
      ambiguityText(ambiguity),
    ],
    ['equal exposure', percent(equalExposure), `alpha ${percent(alpha)}`],
    ['buy and hold', percent(m.buyAndHold), 'the whole balance at the first price'],
    ['daily DCA', percent(m.costAveraging), 'an equal part of the balance each day'],
    ['max drawdown', percent(drawdown.depth), drawdown.depth === 0 ? '' : period],
    [
      'trades',
      String(m.closedCycles),
      m.durations ? `mean ${duration(m.durations.meanMs)}, longest ${duration(m.durations.longestMs)}` : '',
    ],
    ['win rate', m.winRate === null ? '–' : percent(m.winRate), ''],
    ['profit factor', orDash(m.profitFactor), ''],
    ['average trade', money(m.expectancy), `best ${money(m.best)}, worst ${money(m.worst)}`],
    ['time in the market', percent(m.exposure), 'share of the candles with a position'],
    ['mean exposure', percent(meanExposure), 'share of the equity in the coin'],
    ['fees', money(m.fees), `turnover ${m.turnover.toFixed(2)} times the balance`],
    ['Calmar, SQN', `${orDash(m.calmar)}, ${orDash(m.sqn)}`, ''],
    ['Sharpe, Sortino', `${orDash(m.sharpe)}, ${orDash(m.sortino)}`, 'daily returns, 365 days a year'],
  ];
}

function partRows({ holdout, regimes, quoteAsset }: BacktestResult): string[][] {
  const parts =
    holdout === null
      ? []
      : ([
          ['in sample (first 70 %)', holdout.inSample],
          ['out of sample (last 30 %)', holdout.outOfSample],
        ] as const);
  const row = (
    name: string,
    part: { days: number; totalReturn: number; closedCycles: number; net: number },
    coin: number,
  ) => [
    name,
    `${part.days} days`,
    percent(part.totalReturn),
    `coin ${percent(coin)}`,
    `${part.closedCycles} trades`,
    `${part.net.toFixed(2)} ${quoteAsset}`,
  ];
  return [
    ...parts.map(([name, part]) => row(name, part, part.buyAndHold)),
    ...Object.entries(regimes).map(([name, regime]) => row(`coin ${name}`, regime, regime.coinReturn)),
  ];
}

/** A result as text: terms, metrics, exit and wait reasons, every fill. */
export function resultTable(result: BacktestResult): string {
  const { quoteAsset, metrics, coverage } = result;
  const total = Math.max(1, coverage.candles);
  const exits = Object.entries(metrics.exits).map(([reason, exit]) => [
    reason,
    `${exit.cycles} trades`,
    `${exit.wins} won`,
    `${exit.net.toFixed(2)} ${quoteAsset}`,
  ]);
  const decisions = Object.entries(result.decisions).map(([reason, count]) => [
    reason,
    String(count),
    percent(count / total),
  ]);
  const fills = result.fills.map((fill) => [
    time(fill.at),
    fill.side,
    ...(fill.symbol === undefined ? [] : [fill.symbol]),
    fill.reason,
    fill.quantity,
    fill.price,
    `${fill.fee} ${fill.feeAsset}`,
    fill.realised === null ? '' : Number(fill.realised).toFixed(4),
  ]);
  const coin = result.coins === undefined ? [] : ['coin'];
  const header = ['time (UTC)', 'side', ...coin, 'reason', 'quantity', 'price', 'fee', 'realised'];
  const coins = Object.entries(result.coins ?? {}).map(([symbol, part]) => [
    symbol,
    `${part.fills} fills`,
    `${part.closedCycles} trades`,
    `${part.net.toFixed(2)} ${quoteAsset}`,
    `buy and hold ${percent(part.buyAndHold)}`,
  ]);
  const sections = [
    [
      `${result.strategy} on ${result.symbol}, ${time(result.from)} to ${time(result.to)} UTC`,
      `${coverage.candles} candles of ${result.detailInterval}, signals on ${result.interval}; ${costText(result)}`,
      ...result.warnings.map((warning) => `Warning: ${warning}`),
    ],
    columns(metricRows(result), 3),
    ['Parts', ...columns(partRows(result), 1)],
    coins.length === 0 ? [] : ['Coins', ...columns(coins, 1)],
    exits.length === 0 ? [] : ['Exits', ...columns(exits, 1)],
    ['Decisions', ...columns(decisions, 1)],
    result.rejections.length === 0
      ? []
      : [
          'Rejected orders',
          ...result.rejections.map(({ at, side, quantity, reason }) => `${time(at)}  ${side} ${quantity}  ${reason}`),
        ],
    fills.length === 0 ? ['No fills.'] : ['Fills', ...columns([header, ...fills], 3)],
    [`fingerprint ${result.fingerprint}`],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** Every fill with its sentence and its numbers. */
export const explainedTable = (fills: readonly FillRecord[], explained: readonly Explained[]): string =>
  [
    'Reasons',
    ...fills.flatMap(({ at, side, symbol }, i) => {
      const { sentence, numbers } = explained[i] ?? { sentence: '', numbers: {} };
      const facts = Object.entries(numbers).map(([name, value]) => `${name} ${value ?? '–'}`);
      return [`${time(at)}  ${[side, symbol].filter(Boolean).join(' ')}  ${sentence}`, `  ${facts.join(', ')}`];
    }),
  ].join('\n');
