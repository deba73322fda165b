/** From worst to best, so that "at least" is a comparison of places. */
export const RATING_LABELS = ['strong-sell', 'sell', 'neutral', 'buy', 'strong-buy'] as const;
export type RatingLabel = (typeof RATING_LABELS)[number];

/**
 * The word for a score from -1 to 1: above .5 strong buy, above .1 buy, from -.1 neutral, from -.5 sell, else strong
 * sell.
 */
export function ratingLabel(score: number): RatingLabel {
  if (score > 0.5) return 'strong-buy';
  if (score > 0.1) return 'buy';
  if (score >= -0.1) return 'neutral';
  return score >= -0.5 ? 'sell' : 'strong-sell';
}

/** Rank of the label: 0 for strong sell, 4 for strong buy. */
export const ratingRank = (label: RatingLabel): number => RATING_LABELS.indexOf(label);
