import type { AdvisorSlot, AdvisorVariant, Suggestion } from '#core/research/advice.ts';

/** What can be asked for, in the order of the contract. */
export const VARIANTS: readonly { value: AdvisorVariant; words: string }[] = [
  { value: 'safe', words: 'Small, safe steps' },
  { value: 'ride-trend', words: 'Ride trends longer' },
  { value: 'trade-more', words: 'Trade more often' },
  { value: 'aggressive', words: 'More return, more risk' },
  { value: 'defensive', words: 'Keep the capital' },
];

export const slotWords = (slot: AdvisorSlot): string =>
  slot === 'manual' ? 'Pasted by hand' : (VARIANTS.find(({ value }) => value === slot)?.words ?? slot);

const RISKS: Readonly<Record<Suggestion['overfitRisk'], string>> = {
  low: 'little risk that it only fits this past',
  medium: 'some risk that it only fits this past',
  high: 'high risk that it only fits this past',
  unknown: 'not said whether it only fits this past',
};
export const riskWords = (risk: Suggestion['overfitRisk']): string => RISKS[risk];
