import type { ReactNode } from 'react';
import { INTERVALS, isInterval } from '#core/market/candle.ts';
import { Choice, Field } from '#web/ui/field.tsx';
import { type FirstChoices, mostLost } from './first-config.ts';

interface ChoicesProps {
  choices: FirstChoices;
  errors: Partial<Record<keyof FirstChoices, string>>;
  asset: string;
  onChange: (choices: FirstChoices) => void;
}

/** Three choices in the open, three more in a fold; each trading word is explained where it first appears. */
export function FirstChoicesForm({ choices, errors, asset, onChange }: ChoicesProps): ReactNode {
  const lost = mostLost(choices);
  const set = (part: Partial<FirstChoices>): void => onChange({ ...choices, ...part });
  const number = (name: 'spend' | 'stop' | 'trail' | 'arm' | 'nearLow') => ({
    inputMode: 'decimal' as const,
    value: choices[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  const slide = (name: 'spend' | 'stop' | 'trail', label: string, [min, max, step]: [number, number, number]) => (
    <input
      type="range"
      aria-label={label}
      {...{ min, max, step }}
      value={Number(choices[name]) || 0}
      onChange={(event) => set({ [name]: event.target.value })}
    />
  );
  return (
    <>
      <Field
        label="Spend per buy"
        note="One buy per coin at a time, so this is also the most that lies in one coin."
        unit={asset}
        error={errors.spend}
        input={number('spend')}
        extra={slide('spend', 'Spend per buy', [10, 1000, 10])}
      />
      <Field
        label="Most you accept to lose on a coin"
        note={`The stop loss: when the price falls this far below what you paid, everything is sold.${lost === undefined ? '' : ` That is about ${lost} ${asset} a coin, before fees.`}`}
        unit="%"
        error={errors.stop}
        input={number('stop')}
        extra={slide('stop', 'Stop loss', [0.5, 20, 0.5])}
      />
      <Field
        label="Give back from the high"
        note="The trailing stop: once in profit, it follows the price up and sells when the price has fallen this far from its best."
        unit="%"
        error={errors.trail}
        input={number('trail')}
        extra={slide('trail', 'Trailing stop', [0.1, 5, 0.1])}
      />
      <details className="px-2">
        <summary>More choices</summary>
        <Field
          label="Profit at which the trailing exit starts"
          note="Below this profit the trailing stop sleeps and only the stop loss can sell."
          unit="%"
          error={errors.arm}
          input={number('arm')}
        />
        <Field
          label="Buy this close to the recent low"
          note="It buys when the price is at most this far above the lowest price of the last 60 candles."
          unit="%"
          error={errors.nearLow}
          input={number('nearLow')}
        />
        <Choice
          label="Candle length"
          note="A candle is one bar of the chart: first, highest, lowest and last price of this time."
          value={choices.interval}
          options={INTERVALS.map((value) => ({ value, words: value }))}
          onChange={(value) => isInterval(value) && set({ interval: value })}
        />
      </details>
    </>
  );
}
