import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNumber } from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';
import { PRESETS, withEqualShares } from './presets.ts';
import { STRATEGIES } from './registry.ts';
import { breakEvenOf } from './ticks.ts';

const COINS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const all = [...PRESETS].flatMap(([name, presets]) => presets.map((preset) => ({ name, preset })));

for (const { name, preset } of all) {
  const strategy = STRATEGIES.get(name);
  const title = `${name}, ${preset.name}`;

  test(`${title}: the settings are valid`, () => {
    assert.ok(strategy?.config.safeParse(preset.config).success);
  });

  test(`${title}: there is nothing to warn of, fees included`, () => {
    const warnings = strategy?.bind(withEqualShares(name, preset.config, COINS)).lint(0.001, COINS) ?? [];
    assert.deepEqual(
      warnings.filter(({ level }) => level === 'warn'),
      [],
    );
  });
}

/** Exits in profit as multiples of the average entry price. */
const exitsOf = ({ sell }: Record<string, unknown>): number[] => {
  if (!isObject(sell)) return [];
  const { triggerPercentage: starts, trailingStopPercentage: distance, takeProfits } = sell;
  const parts = Array.isArray(takeProfits) ? takeProfits.filter(isObject) : [];
  return [Number(starts) * Number(distance), ...parts.map((part) => Number(part['triggerPercentage']))];
};

for (const { name, preset } of all.filter(({ name }) => name === 'trailing-trade'))
  test(`${name}, ${preset.name}: the fees of buy and sale take at most a quarter of each exit in profit`, () => {
    const exits = exitsOf(preset.config);
    assert.ok(exits.length > 0);
    for (const exit of exits) {
      const share = (breakEvenOf({ takerFee: 0.001 }) - 1) / (exit - 1);
      assert.ok(share > 0 && share <= 0.25, `${share} of the exit at ${exit}`);
    }
  });

test('every strategy that trades automatically has the same three presets', () => {
  for (const [name, strategy] of STRATEGIES) {
    const buys = strategy.bind({}).shared.entryBudget > 0n || strategy.plansBaskets === true;
    const trades = buys && strategy.takesSignals !== true;
    const names = PRESETS.get(name)?.map((preset) => preset.name) ?? [];
    assert.deepEqual(names, trades ? ['Cautious', 'Balanced', 'Active'] : []);
  }
});

test('no preset of trailing trade spends more than 150 a coin', () => {
  for (const { config } of PRESETS.get('trailing-trade') ?? []) {
    const { entryBudget } = STRATEGIES.get('trailing-trade')?.bind(config).shared ?? {};
    assert.ok(entryBudget !== undefined && toNumber(entryBudget) <= 150);
  }
});

test('equal shares are rounded down, so that they never exceed the basket', () => {
  const { targets } = withEqualShares('rebalance', { weightMode: 'fixed' }, COINS);
  assert.deepEqual(
    targets,
    COINS.map((symbol) => ({ symbol, weight: '0.3333' })),
  );
  assert.deepEqual(withEqualShares('momentum', { weightMode: 'fixed' }, COINS), { weightMode: 'fixed' });
});
