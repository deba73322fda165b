import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Interval } from '#core/market/candle.ts';
import { withEqualShares } from '#strategies/presets.ts';
import { rulesOf, TERMS } from '#web/preview/load-past.ts';
import { CoinReplayer, type ReplayCoin } from './replay.ts';

const MINUTES = 5 * 1440;
const COINS = ['AAAUSDT', 'BBBUSDT'];

/** Minutes, or longer candles, that swing by 2 % around 100 every two hours. */
function swings(symbol: string, [interval, length]: readonly [Interval, number] = ['1m', 1]): ReplayCoin {
  const rows = MINUTES / length;
  const column = (value: (row: number) => number): Float64Array =>
    Float64Array.from({ length: rows }, (_, i) => value(i));
  const price = (row: number): number =>
    Math.round(10_000 * (1 + 0.02 * Math.sin(((row * length) / 120) * 2 * Math.PI))) / 100;
  const columns = {
    openMs: column((row) => Date.UTC(2026, 0, 1) + row * length * 60_000),
    open: column(price),
    high: column((row) => Math.max(price(row), price(row + 1)) + 0.02),
    low: column((row) => Math.min(price(row), price(row + 1)) - 0.02),
    close: column((row) => price(row + 1)),
    volume: column(() => 10_000),
  };
  const grid = { tickSize: '0.01', stepSize: '0.001', minNotional: '5' };
  const rules = rulesOf({ symbol, baseAsset: symbol.slice(0, 3), quoteAsset: 'USDT', ...grid });
  return { rules, interval, columns };
}

const config = {
  candleInterval: '1m',
  buy: { entrySizing: { amount: '100' }, candleLimit: 110, gridLevels: [{ triggerPercentage: '1.002' }] },
  sell: { triggerPercentage: '1.02', trailingStopPercentage: '0.995', stopLossPercentage: '0.9' },
};
const replayerOf = (...coins: readonly ReplayCoin[]): CoinReplayer => {
  const replayer = new CoinReplayer(TERMS);
  for (const coin of coins) replayer.add(coin);
  return replayer;
};

test('coins without a common plan add up: two equal coins earn twice as much as one', () => {
  const replayer = replayerOf(...COINS.map((symbol) => swings(symbol)));
  const [one, two] = [['AAAUSDT'], COINS].map(
    (coins) => replayer.answer({ strategy: 'trailing-trade', config, coins }).replay,
  );
  assert.ok(one?.kind === 'replayed' && two?.kind === 'replayed');
  assert.ok(one.strategy.totalReturn > 0 && one.strategy.trades > 10);
  assert.ok(Math.abs(two.strategy.totalReturn - 2 * one.strategy.totalReturn) < 1e-9);
  assert.equal(two.strategy.trades, 2 * one.strategy.trades);
  assert.equal(two.hold.days.length, 5);
});

test('a plan over all coins is replayed with one balance', () => {
  const replayer = replayerOf(...COINS.map((symbol) => swings(symbol)));
  const settings = { enabled: true, weightMode: 'fixed', candleInterval: '15m', basketBudgetQuote: '500' };
  const request = { strategy: 'rebalance', coins: COINS, config: withEqualShares('rebalance', settings, COINS) };
  const { replay, check } = replayer.answer(request);
  assert.ok(replay?.kind === 'replayed' && replay.strategy.fees > 0);
  assert.equal(check.perCoin, 250);
});

test('a config is checked before any candle is loaded: errors with their paths, warnings with their fixes, the amount', () => {
  const replayer = replayerOf();
  const ask = (sell: object) =>
    replayer.answer({
      strategy: 'trailing-trade',
      coins: COINS,
      config: { ...config, sell: { ...config.sell, ...sell } },
    });
  assert.equal(ask({}).replay, undefined);
  assert.deepEqual(ask({ stopLossPercentage: '2' }).check.errors, [
    { path: 'sell.stopLossPercentage', message: '2 must be below 1' },
  ]);
  const { findings, perCoin } = ask({ triggerPercentage: '1.008' }).check;
  assert.deepEqual(
    findings.map(({ code, fix }) => [code, fix?.changes]),
    [['fees-eat-exit', [{ path: 'sell.triggerPercentage', value: '1.012' }]]],
  );
  assert.equal(perCoin, 100);
});

test('a market without the candles of the strategy is refused with a sentence', () => {
  const replayer = replayerOf(swings('AAAUSDT', ['1h', 60]));
  const { replay } = replayer.answer({ strategy: 'trailing-trade', config, coins: ['AAAUSDT'] });
  assert.deepEqual(replay, {
    kind: 'refused',
    sentence: 'The strategy uses 1m candles; this market has only 1h candles.',
  });
});
