import type { ReactNode } from 'react';
import { INTERVALS, isInterval } from '#core/market/candle.ts';
import { Choice, Field } from '#web/ui/field.tsx';
import { type FirstChoices, maxLoss } from './first-config.ts';

interface ChoicesProps {
  choices: FirstChoices;
  errors: Partial<Record<keyof FirstChoices, string>>;
  asset: string;
  onChange: (choices: FirstChoices) => void;
}

/** Three settings, three more in a fold; each trading term is explained where it first appears. */
export function FirstChoicesForm({ choices, errors, asset, onChange }: ChoicesProps): ReactNode {
  const lost = maxLoss(choices);
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
        note="One buy per coin at a time, so this is also the maximum per coin."
        unit={asset}
        error={errors.spend}
        input={number('spend')}
        extra={slide('spend', 'Spend per buy, slider', [10, 1000, 10])}
      />
      <Field
        label="Stop loss"
        note={`Sells everything when the price falls this far below your average price.${lost === undefined ? '' : ` Maximum loss: about ${lost} ${asset} per coin, before fees.`}`}
        unit="%"
        error={errors.stop}
        input={number('stop')}
        extra={slide('stop', 'Stop loss, slider', [0.5, 20, 0.5])}
      />
      <Field
        label="Trailing stop distance"
        note="Once in profit, the stop follows the price up and sells when the price falls this far below its high."
        unit="%"
        error={errors.trail}
        input={number('trail')}
        extra={slide('trail', 'Trailing stop distance, slider', [0.1, 5, 0.1])}
      />
      <details className="px-2">
        <summary>More settings</summary>
        <Field
          label="Trailing stop starts at"
          note="Below this profit only the stop loss sells."
          unit="%"
          error={errors.arm}
          input={number('arm')}
        />
        <Field
          label="Buy within"
          note="Buys when the price is at most this far above the 60-candle low."
          unit="%"
          error={errors.nearLow}
          input={number('nearLow')}
        />
        <Choice
          label="Candles"
          note="A candle is one bar of the chart: first, highest, lowest and last price of this time."
          value={choices.interval}
          options={INTERVALS.map((value) => ({ value, words: value }))}
          onChange={(value) => isInterval(value) && set({ interval: value })}
        />
      </details>
    </>
  );
}
