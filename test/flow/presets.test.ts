import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNumber } from '#core/amount/decimal.ts';
import type { CandleColumns } from '#core/market/candle.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { aggregateSeries } from '#backtest/columns.ts';
import { runPortfolioBacktest } from '#backtest/portfolio-backtest.ts';
import { openReplay } from '#paper/market/replay.ts';
import { openSynthetic } from '#paper/market/synthetic.ts';
import type { MarketSource } from '#paper/market/source.ts';
import { PRESETS, withEqualShares } from '#strategies/presets.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { HISTORY_FOLDER } from '#test/documents/candle-history.ts';
import { TERMS } from '#web/preview/load-past.ts';
import { CoinReplayer } from '#web/welcome/replay.ts';

/** The coins with the most volume of the invented market, which the wizard chooses. */
const COINS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT'];
const DAY_MS = 86_400_000;
const DAYS = 90;
/** Ends of three periods of 90 days without a common day. */
const ENDS = [-100, 0, 100].map((days) => Date.UTC(2026, 10, 25) + days * DAY_MS);
/** The fees of a closed trade in profit take at most this share of its gain before fees. */
const MOST_FEES = 0.25;

interface Past {
  readonly source: MarketSource;
  readonly interval: '1m' | '1h';
  readonly candles: ReadonlyMap<string, CandleColumns>;
}

const pastOf = (source: MarketSource, interval: Past['interval'], [fromMs, toMs]: readonly [number, number]): Past => ({
  ...{ source, interval },
  candles: new Map(COINS.map((symbol) => [symbol, source.candles(symbol, fromMs, toMs)])),
});
const invented = ENDS.map((endMs) => pastOf(openSynthetic(1, endMs), '1m', [endMs - DAYS * DAY_MS, endMs]));
const shipped = pastOf(openReplay(HISTORY_FOLDER), '1h', [Date.UTC(2026, 6, 1), Date.UTC(2026, 8, 1)]);

/** The replay of the wizard. */
function preview({ source, interval, candles }: Past, strategy: string, config: Readonly<Record<string, unknown>>) {
  const replayer = new CoinReplayer(TERMS);
  for (const { rules } of source.listings) {
    const columns = candles.get(rules.symbol);
    if (columns !== undefined) replayer.add({ rules, interval, columns });
  }
  const request = { strategy, config: withEqualShares(strategy, config, COINS), coins: COINS };
  const { replay } = replayer.answer(request);
  assert.ok(replay?.kind === 'replayed', replay?.kind === 'refused' ? replay.sentence : '');
  return { ...replay.strategy, profit: replay.strategy.totalReturn * replay.balance };
}

/** Gains of the closed trades in profit before fees, and the fees of these trades. */
function winsOf(past: Past, strategy: string, config: Readonly<Record<string, unknown>>) {
  const bound = STRATEGIES.get(strategy)?.bind(config);
  assert.ok(bound !== undefined);
  const coins = past.source.listings.flatMap(({ rules }) => {
    const columns = past.candles.get(rules.symbol);
    if (columns === undefined) return [];
    const finer = { interval: past.interval, columns };
    const detail = bound.actsOnTicks === true ? { detail: finer } : {};
    return [{ bound, rules, terms: TERMS, candles: aggregateSeries(finer, bound.needs.interval), ...detail }];
  });
  const outcome = runPortfolioBacktest({ profiles: [{ id: newId<ProfileId>(), coins }] });
  assert.ok(outcome.kind === 'result', outcome.kind === 'refused' ? outcome.sentence : '');
  const { cycles, fills } = outcome.result;
  const keyOf = (row: { readonly symbol?: string | undefined; readonly cycle: number }): string =>
    `${row.symbol} ${row.cycle}`;
  const fees = new Map<string, number>();
  for (const fill of fills) fees.set(keyOf(fill), (fees.get(keyOf(fill)) ?? 0) + Number(fill.quote) * feeRate);
  const wins = cycles.filter(({ net }) => Number(net) > 0);
  const paid = wins.reduce((sum, cycle) => sum + (fees.get(keyOf(cycle)) ?? 0), 0);
  return { paid, gain: wins.reduce((sum, { net }) => sum + Number(net), paid) };
}
const feeRate = toNumber(TERMS.feeRate);

const all = [...PRESETS].flatMap(([name, presets]) => presets.map((preset) => ({ name, preset })));
/** Rebalance holds its coins: it earns and loses with them. */
const timing = all.filter(({ name }) => name !== 'rebalance');

for (const { name, preset } of timing)
  for (const [i, past] of invented.entries()) {
    test(`${name}, ${preset.name}: 90 days of the invented market earn more than their fees, period ${i + 1}`, () => {
      const { profit, fees, trades } = preview(past, name, preset.config);
      assert.ok(trades >= 50, `${trades} trades`);
      assert.ok(profit > 0, `${profit} USDT after ${fees} USDT of fees`);
    });

    test(`${name}, ${preset.name}: fees take at most a quarter of the trades in profit, period ${i + 1}`, () => {
      const { paid, gain } = winsOf(past, name, preset.config);
      assert.ok(paid <= MOST_FEES * gain, `${paid} of ${gain} USDT`);
    });
  }

for (const { name, preset } of all.filter((each) => each.name === 'rebalance'))
  test(`${name}, ${preset.name}: 90 days cost less than a hundredth of the budget in fees`, () => {
    for (const past of invented) {
      const { fees } = preview(past, name, preset.config);
      assert.ok(fees < Number(preset.config['basketBudgetQuote']) / 100, `${fees} USDT`);
    }
  });

for (const preset of PRESETS.get('trailing-trade')?.filter(({ name }) => name !== 'Active') ?? [])
  test(`trailing-trade, ${preset.name}: the two months that come with it earn more than their fees`, () => {
    const { profit, fees, trades } = preview(shipped, 'trailing-trade', preset.config);
    assert.ok(trades >= 30, `${trades} trades`);
    assert.ok(profit > fees, `${profit} USDT after ${fees} USDT of fees`);
  });
