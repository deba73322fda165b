import { type Candle, INTERVAL_MS, type Interval, MOST_CLOSED } from '#core/market/candle.ts';
import type { ApprovalReason, Numbers } from './decision.ts';
import { ratingRank } from '#core/indicators/rating-label.ts';
import { createTechnicalRating, type TechnicalRating } from '#core/indicators/technical-rating.ts';
import { createRegime, type Regime, regimeNeed, type RegimeSettings } from './regime.ts';

export const BUY_LABELS = ['off', 'neutral', 'buy', 'strong-buy'] as const;
export const SELL_LABELS = ['off', 'sell', 'strong-sell'] as const;

/** A technical rating that acts as a gate. */
export interface RatingRow {
  readonly interval: Interval;
  /** The first buy needs this rating or a higher one. */
  readonly buyAtLeast: (typeof BUY_LABELS)[number];
  /** The position is sold in profit at this rating or a lower one. */
  readonly sellAtMost: (typeof SELL_LABELS)[number];
}

/** Conditions for a buy in addition to the strategy. */
export interface GateSettings {
  readonly regime: RegimeSettings;
  readonly ratings: readonly RatingRow[];
}

/** A rating is valid for this many of its candles. */
const RATING_MAX_AGE = 2;
const REGIME_INTERVAL: Interval = '1d';

/** Candles that the gates need, of other intervals than the strategy's. */
interface GateNeed {
  readonly interval: Interval;
  readonly want: number;
}

/** The intervals of the gates, each once. */
export function gateNeeds({ regime, ratings }: GateSettings): GateNeed[] {
  const wants = new Map<Interval, number>();
  if (regime.policy !== 'off')
    wants.set(REGIME_INTERVAL, Math.max(regimeNeed(regime), Math.min(MOST_CLOSED, 8 * (regime.period + 1))));
  for (const { interval } of ratings) wants.set(interval, MOST_CLOSED);
  return [...wants].map(([interval, want]) => ({ interval, want }));
}

type GateReason = Extract<ApprovalReason, `regime-${string}` | `rating-${string}`>;

/** The gates of one coin, fed with closed candles in order. */
export interface Gates {
  onCandle(interval: Interval, candle: Candle): void;
  readonly regime: Regime;
  /** True when a rating calls for a sale in profit now. */
  sells(nowMs: number): boolean;
  /** Why a buy is refused now. Ratings apply only to the first buy of a position. */
  refusal(question: {
    readonly first: boolean;
    readonly nowMs: number;
  }): { readonly reason: GateReason; readonly numbers: Numbers } | undefined;
}

interface Row {
  readonly settings: RatingRow;
  readonly rating: TechnicalRating;
  closeMs: number;
}

/** A gate without data refuses. */
export function createGates(settings: GateSettings): Gates {
  const regime = settings.regime.policy === 'off' ? null : createRegime(settings.regime);
  const rows: Row[] = settings.ratings.map((row) => ({ settings: row, rating: createTechnicalRating(), closeMs: 0 }));
  const selling = rows.filter(({ settings: { sellAtMost } }) => sellAtMost !== 'off');
  return {
    onCandle(interval, candle) {
      if (interval === REGIME_INTERVAL) regime?.push(candle.close);
      for (const row of rows) {
        if (row.settings.interval !== interval) continue;
        row.rating.push(candle);
        row.closeMs = candle.closeMs;
      }
    },
    get regime() {
      return regime === null ? 2 : regime.value;
    },
    sells: (nowMs) => selling.some((row) => isSelling(row, nowMs)),
    refusal({ first, nowMs }) {
      if (regime !== null) {
        const refused = regimeRefusal(settings.regime, regime);
        if (refused !== undefined) return refused;
      }
      if (!first) return undefined;
      for (const row of rows) {
        const refused = ratingRefusal(row, nowMs);
        if (refused !== undefined) return refused;
      }
      return undefined;
    },
  };
}

const isStale = ({ settings, closeMs }: Row, nowMs: number): boolean =>
  nowMs - closeMs > RATING_MAX_AGE * INTERVAL_MS[settings.interval];

function isSelling(row: Row, nowMs: number): boolean {
  const { label } = row.rating;
  const { sellAtMost } = row.settings;
  if (label === undefined || sellAtMost === 'off' || isStale(row, nowMs)) return false;
  return ratingRank(label) <= ratingRank(sellAtMost);
}

const shown = (price: number): string | null => (Number.isFinite(price) ? String(Number(price.toPrecision(8))) : null);

function regimeRefusal({ policy }: RegimeSettings, regime: ReturnType<typeof createRegime>) {
  const { value } = regime;
  const { days, need, run, close, ma } = regime.numbers();
  if (value === 2) return { reason: 'regime-unavailable', numbers: { have: days, need } } as const;
  const numbers = { run: Math.abs(run), close: shown(close), ma: shown(ma) };
  if (value === -1) return { reason: 'regime-bear', numbers } as const;
  return policy === 'require-bull' && value !== 1 ? ({ reason: 'regime-not-bull', numbers } as const) : undefined;
}

function ratingRefusal(row: Row, nowMs: number) {
  const { interval, buyAtLeast } = row.settings;
  const { label, score } = row.rating;
  if (buyAtLeast === 'off') return undefined;
  if (label === undefined) return { reason: 'rating-missing', numbers: { interval } } as const;
  const ageMinutes = Math.round((nowMs - row.closeMs) / 60_000);
  if (isStale(row, nowMs)) return { reason: 'rating-stale', numbers: { interval, ageMinutes } } as const;
  if (ratingRank(label) >= ratingRank(buyAtLeast)) return undefined;
  const numbers = { interval, label, needs: buyAtLeast, score: score.toFixed(3) };
  return { reason: 'rating-too-low', numbers } as const;
}
