import { BASKET } from '#core/research.ts';
import { formatDecimal, toNumber } from '#core/decimal.ts';
import { type BasketFill, type BasketRun, runBasket } from './basket-run.ts';
import { buyAndHold, type CoinDay, coinDays } from './benchmarks.ts';
import type { KernelInput, Run } from './kernel.ts';
import type { CoinPart } from './result.ts';
import { type BacktestInput, type BacktestOutcome, type Ending, openKernel, report } from './run.ts';

/**
 * Runs a strategy that plans over several coins on all of them, with one purse, and reports like for one coin: the coin of
 * the benchmarks is 1 in quote spread evenly over the basket at its first open. All inputs share strategy, terms and window.
 */
export function runBasketBacktest(coins: readonly BacktestInput[]): BacktestOutcome {
  const inputs: KernelInput[] = [];
  for (const coin of coins) {
    const opened = openKernel(coin, { basket: true });
    if (opened.kind === 'refused') return { kind: 'refused', sentence: `${coin.rules.symbol}: ${opened.sentence}` };
    inputs.push(opened.kernel);
  }
  const [first] = inputs;
  const sentence = refusalOf(inputs);
  if (first === undefined || sentence !== undefined)
    return { kind: 'refused', sentence: sentence ?? 'There is no coin.' };
  const { fills, meter, counts, runs, closes, heldCloses } = runBasket(inputs);
  const doubtful = runs.some(({ book }) => book.ambiguous > 0);
  const fallFirst = (input: KernelInput): KernelInput => ({ ...input, path: 'fall-first' });
  const made = {
    inputs,
    books: runs.map(({ book }) => book),
    fills,
    coin: indexDays(inputs),
    meter,
    others: doubtful ? [endingOf(runBasket(inputs.map(fallFirst)))] : [],
    crossed: 0,
    counts,
    candles: closes,
    heldCandles: heldCloses,
    offGrid: runs.reduce((sum, { offGrid }) => sum + offGrid, 0),
    warmUp: Math.min(...runs.map(({ feed }) => feed.warmUp)),
    passed: 0,
  };
  const result = report(made, { fromMs: coins[0]?.fromMs, toMs: coins[0]?.toMs });
  const parts = runs.map((run, i): [string, CoinPart] => [run.input.rules.symbol, partOf(run, fills, inputs[i])]);
  return { kind: 'result', result: { ...result, symbol: BASKET, coins: Object.fromEntries(parts) } };
}

const endingOf = ({ meter, runs }: BasketRun): Ending => ({
  last: meter.last,
  overrun: runs.reduce((sum, { book }) => sum + book.overrun.loss, 0),
});

/** What cannot share a purse or a clock. */
function refusalOf(inputs: readonly KernelInput[]): string | undefined {
  const differing = (what: (input: KernelInput) => string): string | undefined => {
    const all = [...new Set(inputs.map(what))];
    return all.length < 2 ? undefined : all.join(', ');
  };
  const quotes = differing(({ rules }) => rules.quoteAsset);
  if (quotes !== undefined) return `The coins of a basket are bought with one money, but these with ${quotes}.`;
  const intervals = differing(({ detail }) => detail.interval);
  return intervals === undefined ? undefined : `The candles of a basket have one length, but these ${intervals}.`;
}

/** The basket as one coin: mean of price / first open over the coins; days of a coin without candles count as its last. */
function indexDays(inputs: readonly KernelInput[]): CoinDay[] {
  const all = inputs.map(({ detail, start, end }) => {
    const firstOpen = detail.columns.open[start] ?? 1;
    return new Map(
      coinDays(detail, start, end).map((day) => [
        day.startMs,
        { open: day.open === null ? null : day.open / firstOpen, close: day.close / firstOpen },
      ]),
    );
  });
  const last = inputs.map(() => 1);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...new Set(all.flatMap((days) => [...days.keys()]))]
    .toSorted((a, b) => a - b)
    .map((startMs) => {
      const days = all.map((each) => each.get(startMs));
      const opens = days.map((day, i) => day?.open ?? last[i] ?? 1);
      for (const [i, day] of days.entries()) last[i] = day?.close ?? last[i] ?? 1;
      return {
        startMs,
        open: days.every((day) => (day?.open ?? null) === null) ? null : mean(opens),
        close: mean(last),
      };
    });
}

function partOf({ book }: Run, fills: readonly BasketFill[], input: KernelInput | undefined): CoinPart {
  const own = fills.filter(({ symbol }) => symbol === book.rules.symbol);
  const spent = (side: 'buy' | 'sell'): number =>
    own.reduce((sum, { fill }) => sum + (fill.side === side ? toNumber(fill.quoteQuantity) : 0), 0);
  const nets = book.cycles.map(({ net }) => toNumber(net));
  const charges = { feeRate: toNumber(book.terms.feeRate), slippage: toNumber(book.terms.slippage) };
  return {
    fills: own.length,
    bought: spent('buy'),
    sold: spent('sell'),
    fees: own.reduce((sum, { feeQuote }) => sum + toNumber(feeQuote), 0),
    closedCycles: nets.length,
    wins: nets.filter((net) => net > 0).length,
    net: nets.reduce((sum, net) => sum + net, 0),
    held: formatDecimal(book.position.quantity),
    buyAndHold: input === undefined ? 0 : buyAndHold(coinDays(input.detail, input.start, input.end), charges),
  };
}
