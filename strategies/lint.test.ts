import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STRATEGIES } from './registry.ts';

function findingsOf(name: string, config: object) {
  const strategy = STRATEGIES.get(name);
  assert.ok(strategy);
  return strategy.bind(strategy.config.parse(config)).lint(0.001);
}

for (const name of STRATEGIES.keys()) {
  test(`${name}: there is nothing to say about the defaults`, () => assert.deepEqual(findingsOf(name, {}), []));
}

const NO_EXIT = { stopLossPercentage: '', triggerPercentage: '', trailingStopPercentage: '' };
const ATR = { multiplier: '2' };
const levels = (...triggers: string[]) => ({
  gridLevels: [{}, ...triggers.map((triggerPercentage) => ({ triggerPercentage }))],
});

const cases: readonly [string, object, readonly string[]][] = [
  ['trailing-trade', { sell: { triggerPercentage: '1.02' } }, ['trail-below-cost sell.trailingStopPercentage']],
  ['trailing-trade', { sell: { triggerPercentage: '1.023' } }, ['fees-eat-exit sell.triggerPercentage']],
  ['trailing-trade', { sell: { triggerPercentage: '1.025' } }, []],
  [
    'trailing-trade',
    { sell: { breakEven: { armAtPercentage: '1.02', floorPercentage: '1.002' } } },
    ['break-even-below-cost sell.breakEven.floorPercentage'],
  ],
  ['trailing-trade', { sell: { breakEven: { armAtPercentage: '1.02', floorPercentage: '1.002004' } } }, []],
  [
    'trailing-trade',
    { sell: NO_EXIT },
    ['no-exit sell.stopLossPercentage', 'protective-inert sell.protectiveStop.enabled'],
  ],
  ['trailing-trade', { sell: { ...NO_EXIT, timeStopBars: 5 } }, ['protective-inert sell.protectiveStop.enabled']],
  ['trailing-trade', { sell: { ...NO_EXIT, timeStopBars: 5, protectiveStop: { enabled: false } } }, []],
  [
    'trailing-trade',
    {
      sell: {
        takeProfits: [
          { triggerPercentage: '1.04', fraction: '0.3' },
          { triggerPercentage: '1.06', fraction: '0.3' },
        ],
      },
    },
    ['rung-beyond-trail sell.takeProfits.1.triggerPercentage'],
  ],
  [
    'trailing-trade',
    { sell: { breakEven: { armAtPercentage: '1.06', floorPercentage: '1.01' } } },
    ['break-even-inert sell.breakEven.armAtPercentage'],
  ],
  [
    'trailing-trade',
    { buy: { gridLevels: [{ minPurchaseAmount: '20' }] } },
    ['level-never-bought buy.gridLevels.0.minPurchaseAmount'],
  ],
  ['trailing-trade', { buy: { maxSymbolExposureQuote: '10' } }, ['cap-below-budget buy.maxSymbolExposureQuote']],
  ['momentum', { maxSymbolExposureQuote: '10' }, ['cap-below-budget maxSymbolExposureQuote']],
  [
    'momentum',
    { entryEnabled: false, exitEnabled: false },
    ['nothing-enabled entryEnabled', 'sell-off-naked exitEnabled'],
  ],
  [
    'momentum',
    { exitEnabled: false, profitTrail: { activationPercentage: '1.03' } },
    ['sell-off-naked exitEnabled', 'profit-trail-off profitTrail.activationPercentage'],
  ],
  ['rebalance', { momentum: { topK: 5 } }, ['ranking-inert momentum.topK']],
  [
    'rebalance',
    { basketBudgetQuote: '100', maxSymbolExposureQuote: '50', targets: [{ symbol: 'AAAUSDT', weight: '1' }] },
    ['cap-below-budget maxSymbolExposureQuote'],
  ],
  ['trailing-trade', { sell: { triggerPercentage: '' } }, ['trail-inert sell.triggerPercentage']],
  ['trailing-trade', { sell: { trailingStopPercentage: '' } }, ['trigger-inert sell.triggerPercentage']],
  ['trailing-trade', { sell: { atrTrailing: { fromEntry: true } } }, ['from-entry-inert sell.atrTrailing.fromEntry']],
  [
    'trailing-trade',
    { sell: { atrTrailing: { ...ATR, fromEntry: true }, trailingStopPercentage: '', timeStopBars: 9 } },
    ['time-stop-inert sell.timeStopBars'],
  ],
  ['trailing-trade', { sell: { enabled: false } }, ['sell-off-naked sell.enabled']],
  ['trailing-trade', { buy: levels('0.99', '0.99') }, ['levels-not-falling buy.gridLevels.2.triggerPercentage']],
  ['trailing-trade', { buy: levels('0.97') }, ['stop-above-level buy.gridLevels.1.triggerPercentage']],
  ['trailing-trade', { buy: levels('0.98', '0.975') }, []],
  ['trailing-trade', { buy: { firstBuyTriggerBasis: 'immediate' } }, ['candle-limit-inert buy.candleLimit']],
  [
    'trailing-trade',
    { buy: { gridLevels: [{ triggerPercentage: '1.03' }] } },
    ['window-low-loose buy.gridLevels.0.triggerPercentage'],
  ],
  ['trailing-trade', { buy: { gridLevels: [{ maxPurchaseAmount: '20' }] } }, ['amount-inert buy.entrySizing.amount']],
  [
    'trailing-trade',
    { buy: { entrySizing: { mode: 'percent-of-equity' } } },
    ['sizing-depends-on-equity buy.entrySizing.mode'],
  ],
  ['trailing-trade', { sell: { atrTrailing: ATR } }, ['atr-shadows-percent sell.trailingStopPercentage']],
  [
    'trailing-trade',
    { execution: { entryMode: 'maker', entryTimeoutBars: 0 } },
    ['maker-stuck execution.entryTimeoutBars'],
  ],
  ['trailing-trade', { execution: { makerOffsetBps: 5 } }, ['maker-inert execution.makerOffsetBps']],
  ['momentum', { technicals: { rows: [{ buyAtLeast: 'off' }] } }, ['rating-row-inert technicals.rows.0.buyAtLeast']],
  // Only Trailing trade sells by a rating.
  ['momentum', { technicals: { rows: [{ sellAtMost: 'sell' }] } }, ['rating-row-inert technicals.rows.0.buyAtLeast']],
  ['trailing-trade', { technicals: { rows: [{ buyAtLeast: 'off', sellAtMost: 'sell' }] } }, []],
  [
    'trailing-trade',
    { sell: { takeProfits: [{ triggerPercentage: '1.001' }] } },
    ['part-below-cost sell.takeProfits.0.triggerPercentage'],
  ],
  [
    'trailing-trade',
    { sell: { takeProfits: [{ fraction: '0.2' }, { triggerPercentage: '1.04', fraction: '0.8' }] } },
    ['trail-without-rest sell.takeProfits.1.fraction'],
  ],
  ['rebalance', { enabled: true, basketBudgetQuote: '50' }, ['target-unbound targets']],
  [
    'rebalance',
    { enabled: true, targets: [{ symbol: 'AAAUSDT', weight: '0.5' }] },
    ['budget-zero-empty basketBudgetQuote', 'weights-under-one targets'],
  ],
  ['rebalance', { weightMode: 'momentum', targets: [{ symbol: 'AAAUSDT' }] }, ['targets-inert targets']],
  ['momentum', { exitEnabled: false }, ['sell-off-naked exitEnabled']],
  [
    'momentum',
    { profitTrail: { activationPercentage: '1.002' } },
    ['trail-below-cost profitTrail.activationPercentage'],
  ],
  [
    'momentum',
    { profitTrail: { activationPercentage: '1.03', trailPercentage: '0.95' } },
    ['profit-trail-inert profitTrail.trailPercentage'],
  ],
  ['momentum', { trendFilter: { slopeBars: 3 } }, ['slope-inert trendFilter.slopeBars']],
  ['momentum', { entrySizing: { mode: 'risk-at-stop' } }, ['sizing-depends-on-equity entrySizing.mode']],
  ['momentum', { atrTrailing: ATR }, ['atr-shadows-percent trailingStopPercentage']],
];
for (const [name, config, expected] of cases) {
  test(`${name} ${JSON.stringify(config)}: ${expected.join(', ') || 'nothing'}`, () => {
    const found = findingsOf(name, config);
    assert.deepEqual(
      found.map(({ code, path }) => `${code} ${path}`),
      expected,
    );
    for (const { message } of found) assert.match(message, /^[A-Z].*[.]$/);
  });
}

test('what hangs on the coins of the profile is said where they are known', () => {
  const strategy = STRATEGIES.get('rebalance');
  const said = (config: object, coins: readonly string[]) =>
    strategy
      ?.bind(strategy.config.parse(config))
      .lint(0.001, coins)
      .map(({ code, path }) => `${code} ${path}`);
  const shares = { basketBudgetQuote: '100', targets: [{ symbol: 'AAAUSDT', weight: '1' }] };
  assert.deepEqual(said(shares, ['AAAUSDT']), []);
  assert.deepEqual(said(shares, ['BBBUSDT']), ['target-unbound targets.0.symbol']);
  const ranked = { weightMode: 'momentum', momentum: { topK: 3 } };
  assert.deepEqual(said(ranked, ['AAAUSDT', 'BBBUSDT', 'CCCUSDT']), ['topk-covers-basket momentum.topK']);
  assert.deepEqual(said(ranked, ['AAAUSDT', 'BBBUSDT', 'CCCUSDT', 'DDDUSDT']), []);
});

test('the fix of an exit that loses most of its profit to fees leaves two thirds of it', () => {
  const config = { sell: { triggerPercentage: '1.023', takeProfits: [{ triggerPercentage: '1.003' }] } };
  const findings = findingsOf('trailing-trade', config).filter(({ code }) => code === 'fees-eat-exit');
  assert.deepEqual(
    findings.map(({ message }) => message),
    [
      'Fees eat 79 % of this exit: it earns 0.25 %, and buy and sale cost 0.2 %.',
      'Fees eat 67 % of this exit: it earns 0.3 %, and buy and sale cost 0.2 %.',
    ],
  );
  assert.deepEqual(
    findings.map(({ fix }) => fix),
    [
      { words: 'Set it to 2.7 %', changes: [{ path: 'sell.triggerPercentage', value: '1.027' }] },
      { words: 'Set it to 0.7 %', changes: [{ path: 'sell.takeProfits.0.triggerPercentage', value: '1.007' }] },
    ],
  );
});
