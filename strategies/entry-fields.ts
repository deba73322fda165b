import type { EquityShare, PositionCaps } from '#core/sizing/budget.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { choice, count, decimalNumber, group, quoteAmount, readFactor, readSetting } from './fields.ts';
import type { StoredReader } from './stored.ts';
import type { Finding } from './strategy.ts';

const MODES = ['fixed', 'percent-of-equity', 'risk-at-stop'] as const;
const MOST_RISK = 0.1;

/** How much one round may spend: the same words in every strategy that buys. */
export const entrySizing = group(
  {
    title: 'Amount',
    help: 'How much one round of buying and selling may spend',
    hint: { choice: { of: 'mode', uses: { amount: ['fixed'], percent: ['percent-of-equity', 'risk-at-stop'] } } },
  },
  {
    mode: choice(
      {
        title: 'Order size',
        help: 'fixed: always the same amount; percent-of-equity: a share of what the account is worth; risk-at-stop: so much that the stop would lose this share of it, if the price does not jump past the stop',
      },
      MODES,
      'fixed',
    ),
    amount: quoteAmount(
      { title: 'Amount', help: 'Budget of one round of buying and selling, where the amount is fixed' },
      '15',
    ),
    percent: decimalNumber(
      {
        title: 'Share of the equity',
        help: 'What one round may spend, or lose at the stop, as a share of what the account is worth: 0.05 is 5 %',
        unit: 'of equity',
        bounds: { above: '0', atMost: '1' },
        advanced: true,
      },
      '0.05',
    ),
  },
  ({ mode, percent }, refuse) => {
    if (mode === 'risk-at-stop' && readFactor(percent) > MOST_RISK)
      refuse(['percent'], `${percent} must be at most ${MOST_RISK}, as it is what one stop loses`);
  },
).prefault({});

/** Most money in one coin, and most to lose at its stop. */
export const capSettings = {
  maxSymbolExposureQuote: quoteAmount(
    {
      title: 'Maximum per coin',
      help: 'Buys less, or not at all, when the position would cost more than this; empty means no limit',
      off: true,
      advanced: true,
    },
    '',
  ),
  maxPositionLossQuote: quoteAmount(
    {
      title: 'Risk per trade',
      help: 'Buys less, or not at all, when the stop could lose more than this; empty means no limit',
      off: true,
      advanced: true,
    },
    '',
  ),
};

interface StoredEntry {
  readonly entrySizing: { readonly mode: (typeof MODES)[number]; readonly amount: string; readonly percent: string };
  readonly maxSymbolExposureQuote: string;
  readonly maxPositionLossQuote: string;
}

/** Reads the settings of this file from a stored config, mounted under `prefix` (such as `buy.`, or empty). */
export const readEntry = (read: StoredReader, prefix: string, defaults: StoredEntry): StoredEntry => ({
  entrySizing: {
    mode: read.choice(`${prefix}entrySizing.mode`, MODES, defaults.entrySizing.mode),
    amount: read.decimal(`${prefix}entrySizing.amount`, defaults.entrySizing.amount),
    percent: read.decimal(`${prefix}entrySizing.percent`, defaults.entrySizing.percent),
  },
  maxSymbolExposureQuote: read.decimal(`${prefix}maxSymbolExposureQuote`, defaults.maxSymbolExposureQuote),
  maxPositionLossQuote: read.decimal(`${prefix}maxPositionLossQuote`, defaults.maxPositionLossQuote),
});

/** The same settings as the engine takes them; `equityShare` is absent where the amount is fixed. */
export function entryShares(config: StoredEntry): { caps: PositionCaps; equityShare?: EquityShare } {
  const { mode, percent } = config.entrySizing;
  const caps = {
    symbolExposure: readSetting(config.maxSymbolExposureQuote),
    positionLoss: readSetting(config.maxPositionLossQuote),
  };
  if (mode === 'fixed') return { caps };
  return { caps, equityShare: { mode, percent: readSetting(percent) ?? requireDecimal('0.05') } };
}

export const lossCooldownMinutes = count(
  {
    title: 'Cool-down after a loss',
    help: 'After a round that lost money, wait this long before buying again',
    from: 0,
    to: 43_200,
    unit: 'minutes',
  },
  60,
);

/** A cap under which the budget, a plain number and 0 where it is not known, can never be spent. */
export const capFindings = (cap: string, budget: number, path: string): Finding[] =>
  readFactor(cap) > 0 && readFactor(cap) < budget
    ? [
        {
          level: 'warn',
          code: 'cap-below-budget',
          path,
          message: 'Lies below the budget, so the budget is never spent in full.',
        },
      ]
    : [];
