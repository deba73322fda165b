import type { AdvisorSlot, AdvisorVariant, Suggestion } from '#core/research/advice.ts';

/** Goals of the advisor, in the order of the contract. */
export const VARIANTS: readonly { value: AdvisorVariant; words: string }[] = [
  { value: 'safe', words: 'Small, safe steps' },
  { value: 'ride-trend', words: 'Hold trends longer' },
  { value: 'trade-more', words: 'Trade more often' },
  { value: 'aggressive', words: 'More return, more risk' },
  { value: 'defensive', words: 'Preserve capital' },
];

export const slotLabel = (slot: AdvisorSlot): string =>
  slot === 'manual' ? 'Pasted reply' : (VARIANTS.find(({ value }) => value === slot)?.words ?? slot);

const RISKS: Readonly<Record<Suggestion['overfitRisk'], string>> = {
  low: 'low risk',
  medium: 'medium risk',
  high: 'high risk',
  unknown: 'not stated',
};
export const riskLabel = (risk: Suggestion['overfitRisk']): string => RISKS[risk];
