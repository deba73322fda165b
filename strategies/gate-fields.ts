import { z } from 'zod';
import { INTERVALS, MOST_CLOSED } from '#core/market/candle.ts';
import { BUY_LABELS, type GateSettings, type RatingRow, SELL_LABELS } from '#core/decision/gates.ts';
import { REGIME_POLICIES, type RegimeSettings } from '#core/decision/regime.ts';
import { choice, count, group } from './fields.ts';
import type { Finding } from './strategy.ts';

const MOST_ROWS = 3;

/** Settings of the daily trend filter, common to every strategy that buys. */
export const regime = group(
  {
    title: 'Daily trend filter',
    help: 'Checks the daily candles of the coin before a buy',
    advanced: true,
    hint: { switch: 'policy' },
  },
  {
    policy: choice(
      {
        title: 'Daily trend filter',
        help: 'off: no filter; block-in-bear: no buys while the trend is falling or unknown; require-bull: buys only while it is rising; exit-in-bear: no buys while it is falling, and sells the position',
        advanced: true,
      },
      REGIME_POLICIES,
      'off',
    ),
    period: count(
      {
        title: 'Days in its average',
        help: 'The trend follows from closes above or below the exponential average of this many days',
        from: 2,
        to: 200,
        unit: 'days',
        advanced: true,
      },
      200,
    ),
    confirmBars: count(
      {
        title: 'Days that confirm',
        help: 'This many consecutive daily closes on one side of the average make a trend',
        from: 1,
        to: 10,
        unit: 'days',
        advanced: true,
      },
      3,
    ),
  },
).prefault({});

const row = (sells: boolean) =>
  group(
    { title: 'Rating', help: 'A technical rating on the candles of one interval' },
    {
      interval: choice({ title: 'Candles', help: 'Interval of the candles for the rating' }, INTERVALS, '1h'),
      buyAtLeast: choice(
        {
          title: 'First buy needs',
          help: 'The first buy of a position needs this rating or a better one; off means no condition',
        },
        BUY_LABELS,
        'neutral',
      ),
      sellAtMost: choice(
        {
          title: 'Take profit',
          help: sells
            ? 'Sells a position in profit at this rating or a worse one, unless the trailing stop has started; off means never'
            : 'No effect: this strategy never sells by a rating',
          hidden: !sells,
        },
        SELL_LABELS,
        'off',
      ),
    },
  );

const ratings = (sells: boolean) =>
  group(
    { title: 'Technical rating', help: 'Checks the combined rating of 26 indicators before a buy', advanced: true },
    {
      rows: z
        .array(row(sells))
        .max(MOST_ROWS, `holds more than ${MOST_ROWS} ratings`)
        .default([])
        .meta({
          title: 'Ratings',
          description: 'All of them must agree; a rating that is missing or too old refuses',
          form: { kind: 'list', advanced: true },
        }),
    },
    ({ rows }, refuse) => {
      for (const [i, { interval }] of rows.entries())
        if (rows.findIndex((each) => each.interval === interval) < i)
          refuse(['rows', i, 'interval'], `${interval} is used twice; each interval may appear once`);
    },
  ).prefault({});

/** The ratings that act as gates of buys. All of them must agree. */
export const technicals = ratings(false);

/** The ratings of a strategy that also takes a profit at one. */
export const sellingTechnicals = ratings(true);

interface StoredGates {
  readonly regime: RegimeSettings;
  readonly technicals: { readonly rows: RatingRow[] };
}

/** The settings in the form of the engine; absent without gates. A stored trend has at least one day, at most all. */
export function gateShares({ regime: trend, technicals: { rows } }: StoredGates): { gates?: GateSettings } {
  if (trend.policy === 'off' && rows.length === 0) return {};
  const confirmBars = Math.min(Math.max(1, trend.confirmBars), MOST_CLOSED);
  const period = Math.min(Math.max(1, trend.period), MOST_CLOSED + 1 - confirmBars);
  return { gates: { regime: { ...trend, period, confirmBars }, ratings: rows } };
}

const NO_EFFECT = 'This rating has no effect.';
const NEVER_SELLS = 'This strategy never sells by a rating: Take profit has no effect.';

/** Rating rows without effect; `sells` as in {@link sellingTechnicals}. */
export const gateFindings = ({ technicals: { rows } }: StoredGates, sells = false): Finding[] =>
  rows.flatMap(({ buyAtLeast, sellAtMost }, i) => {
    const finding = { level: 'info', code: 'rating-row-inert', path: `technicals.rows.${i}.buyAtLeast` } as const;
    const unsold = sellAtMost !== 'off' && !sells;
    if (buyAtLeast === 'off' && (sellAtMost === 'off' || unsold)) return [{ ...finding, message: NO_EFFECT }];
    return unsold ? [{ ...finding, message: NEVER_SELLS }] : [];
  });
