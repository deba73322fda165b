import type { ReactNode } from 'react';
import { isInterval } from '#core/market/candle.ts';
import { detailsFor, percentOf, PERIODS, type Terms } from '#web/ui/research.ts';
import { Choice, Field } from '#web/ui/field.tsx';

interface TermsProps {
  terms: Terms;
  onChange: (terms: Terms) => void;
  /** The candle interval of the strategy. */
  interval: string;
  quote: string | undefined;
  /** Each of several coins has the whole balance. */
  apart?: boolean;
  errorOf: (path: string) => string | undefined;
}

/** Basis points with their value in percent. */
const bpsText = (bps: string): string =>
  bps.trim() === '' || !Number.isFinite(Number(bps))
    ? 'in hundredths of a percent (bps)'
    : `in hundredths of a percent (bps): now ${percentOf(bps)} %`;

/** Period, candles and trading costs of a run. */
export function TermsFields({ terms, onChange, interval, quote, apart = false, errorOf }: TermsProps): ReactNode {
  const put = (part: Partial<Terms>): void => onChange({ ...terms, ...part });
  const text = (name: keyof Terms) => ({
    value: terms[name],
    onChange: (event: { target: { value: string } }) => put({ [name]: event.target.value }),
  });
  const details = detailsFor(isInterval(interval) ? interval : '1h');
  return (
    <>
      <Choice
        label="Period"
        note="Full days in UTC, up to the end of yesterday unless you choose days. Missing candles are fetched from the exchange first."
        value={terms.days}
        options={PERIODS}
        error={terms.days === 'dates' ? undefined : (errorOf('from') ?? errorOf('to'))}
        onChange={(days) => put({ days })}
      />
      {terms.days === 'dates' ? (
        <>
          <Field
            label="From"
            note="The first day, in UTC."
            error={errorOf('from')}
            input={{ type: 'date', ...text('from') }}
          />
          <Field
            label="To"
            note="The last day, in UTC."
            error={errorOf('to')}
            input={{ type: 'date', ...text('to') }}
          />
        </>
      ) : null}
      <Field
        label="Starting balance"
        note={`Play money${apart ? ' for each coin' : ''}; all of it in cash.`}
        unit={quote}
        error={errorOf('balance')}
        input={{ inputMode: 'decimal', ...text('balance') }}
      />
      <CostFields {...{ terms, put, errorOf, text }} />
      <Choice
        label="Candles"
        note="Shorter candles are more exact and take longer."
        value={terms.detailInterval}
        options={details.map((interval) => ({ value: interval, words: interval }))}
        error={errorOf('detailInterval')}
        onChange={(detailInterval) => put({ detailInterval })}
      />
    </>
  );
}

interface CostProps extends Pick<TermsProps, 'terms' | 'errorOf'> {
  put: (part: Partial<Terms>) => void;
  text: (name: keyof Terms) => { value: string; onChange: (event: { target: { value: string } }) => void };
}

/** Trading costs. */
function CostFields({ terms, put, errorOf, text }: CostProps): ReactNode {
  return (
    <>
      <Field
        label="Fee"
        note={`Fee of the exchange on every fill, ${bpsText(terms.feeBps)}.`}
        unit="bps"
        error={errorOf('feeBps')}
        input={{ inputMode: 'decimal', ...text('feeBps') }}
      />
      <Field
        label="Slippage"
        note={`How much worse than the price a market order fills, ${bpsText(terms.slippageBps)}.`}
        unit="bps"
        error={errorOf('slippageBps')}
        input={{ inputMode: 'decimal', ...text('slippageBps') }}
      />
      <Field
        label="Maker fee"
        note="For an order that waited in the order book; empty: same as the fee."
        unit="bps"
        error={errorOf('makerFeeBps')}
        input={{ inputMode: 'decimal', ...text('makerFeeBps') }}
      />
      <Choice
        label="Fees are taken"
        note="Some accounts pay fees in a third asset, such as the exchange's own coin."
        value={terms.feeIn}
        options={[
          { value: 'received', words: 'from the received asset' },
          { value: 'other', words: 'from a third asset, at its value' },
        ]}
        error={errorOf('feeIn')}
        onChange={(feeIn) => put({ feeIn: feeIn === 'other' ? 'other' : 'received' })}
      />
      <Field
        label="Spread"
        note={`Between best bid and ask; a market order pays half of it, ${bpsText(terms.spreadBps)}.`}
        unit="bps"
        error={errorOf('spreadBps')}
        input={{ inputMode: 'decimal', ...text('spreadBps') }}
      />
      <Field
        label="Share of the volume"
        note="How much of a candle's volume orders may take; the rest of an order waits. 0: any amount."
        unit="%"
        error={errorOf('volumePercent')}
        input={{ inputMode: 'decimal', ...text('volumePercent') }}
      />
    </>
  );
}
