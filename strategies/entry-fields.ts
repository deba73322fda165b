import type { EquityShare, PositionCaps } from '#core/sizing/budget.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { choice, count, decimalNumber, group, quoteAmount, readFactor, readSetting } from './fields.ts';
import type { Finding } from './strategy.ts';

const MODES = ['fixed', 'percent-of-equity', 'risk-at-stop'] as const;
const MOST_RISK = 0.1;

/** Settings for the size of a buy, common to every strategy that buys; `usual` is the amount by default. */
export const entrySizingOf = (usual: string) =>
  group(
    {
      title: 'Amount',
      help: 'Budget of one trade, from the first buy to the last sale',
      hint: { choice: { of: 'mode', uses: { amount: ['fixed'], percent: ['percent-of-equity', 'risk-at-stop'] } } },
    },
    {
      mode: choice(
        {
          title: 'Order size',
          help: 'fixed: always the same amount; percent-of-equity: a share of the equity of the account; risk-at-stop: the amount that loses this share of the equity at the stop, unless the price jumps past the stop',
        },
        MODES,
        'fixed',
      ),
      amount: quoteAmount({ title: 'Amount', help: 'Budget of one trade when the amount is fixed' }, usual),
      percent: decimalNumber(
        {
          title: 'Share of the equity',
          help: 'Budget of one trade, or its loss at the stop, as a share of the equity of the account',
          percent: 'share',
          bounds: { above: '0', atMost: '1' },
          advanced: true,
        },
        '0.05',
      ),
    },
    ({ mode, percent }, refuse) => {
      if (mode === 'risk-at-stop' && readFactor(percent) > MOST_RISK)
        refuse(['percent'], `${percent} must be at most ${MOST_RISK}, because it is the loss at one stop`);
    },
  ).prefault({});

export const entrySizing = entrySizingOf('15');

/** Maximum amount in one coin, and maximum loss at its stop. */
export const capSettings = {
  maxSymbolExposureQuote: quoteAmount(
    {
      title: 'Maximum per coin',
      help: 'Buys less, or not at all, when the cost of the position would exceed this; empty means no limit',
      off: true,
      advanced: true,
    },
    '',
  ),
  maxPositionLossQuote: quoteAmount(
    {
      title: 'Risk per trade',
      help: 'Buys less, or not at all, when the loss at the stop could exceed this; empty means no limit',
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

/** The settings in the form of the engine; `equityShare` is absent when the amount is fixed. */
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
    help: 'After a losing trade, wait this long before the next buy',
    from: 0,
    to: 43_200,
    unit: 'minutes',
  },
  60,
);

/** Warns about a cap below the budget (a plain number, 0 when unknown). */
export const capFindings = (cap: string, budget: number, path: string): Finding[] =>
  readFactor(cap) > 0 && readFactor(cap) < budget
    ? [
        {
          level: 'warn',
          code: 'cap-below-budget',
          path,
          message: 'Is below the budget, so the budget is never spent in full.',
        },
      ]
    : [];
