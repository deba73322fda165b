import { AVERAGE_VOTES, createAverageVotes, type Votes } from './average-votes.ts';
import { type Bar, type Indicator, type IndicatorState, partOf } from './indicator.ts';
import { createOscillatorVotes, OSCILLATOR_VOTES } from './oscillator-votes.ts';
import { type RatingLabel, ratingLabel } from './rating-label.ts';

export interface TechnicalRating extends Indicator {
  push(bar: Bar): void;
  /** From -1, all sell, to 1, all buy. */
  readonly score: number;
  /** Undefined before `ready`. */
  readonly label: RatingLabel | undefined;
  /** Each vote by the name of its indicator; a new object for each call. */
  votes(): { readonly averages: Votes; readonly oscillators: Votes };
}

/**
 * The technical rating of the last candle: (mean of 15 moving-average votes + mean of 11 oscillator votes) / 2, votes
 * 1, 0 or -1, on one denominator so that a score on a bound is exactly that bound. Ready after 200 candles. Votes and
 * lengths as in TradingView's Technical Ratings, which lets missing voters abstain instead.
 */
export function createTechnicalRating(saved?: IndicatorState): TechnicalRating {
  const averages = createAverageVotes(partOf(saved, 'averages'));
  const oscillators = createOscillatorVotes(partOf(saved, 'oscillators'));
  const score = (): number => {
    if (!averages.ready) return Number.NaN;
    const points = averages.sum() * OSCILLATOR_VOTES + oscillators.sum() * AVERAGE_VOTES;
    return points / (2 * AVERAGE_VOTES * OSCILLATOR_VOTES);
  };
  return {
    push(bar) {
      averages.push(bar);
      oscillators.push(bar, averages.trend());
    },
    get ready() {
      return averages.ready;
    },
    get score() {
      return score();
    },
    get label() {
      return averages.ready ? ratingLabel(score()) : undefined;
    },
    votes: () => ({ averages: averages.votes(), oscillators: oscillators.votes() }),
    state: () => ({ averages: averages.state(), oscillators: oscillators.state() }),
  };
}
