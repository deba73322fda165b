import type { ReactNode } from 'react';
import { Icon } from '#web/ui/icon.tsx';
import type { ChartData } from './chart-data.ts';
import type { NamedLevel } from './chart-levels.ts';
import { type ChartCoin, priceText } from './chart-text.ts';
import type { Layers } from './chart-view.ts';

interface KeyProps {
  levels: readonly NamedLevel[];
  data: ChartData | undefined;
  layers: Layers;
  coin: ChartCoin;
}

/** The legend: each level and line that has a value, and the marks. */
export function ChartKey({ levels, data, layers, coin }: KeyProps): ReactNode {
  const named = new Set(levels.map(({ label }) => label));
  const lines = (data?.lines ?? []).filter(
    ({ label, values }) => !named.has(label) && values.some((value) => value !== null),
  );
  return (
    <div className="key">
      {layers.orders
        ? levels.map(({ label, price, fact, solid }) => (
            <span key={label}>
              <i className={fact ? '' : solid ? 'n' : 'nd'} />
              <span>
                {label} {priceText(price, coin)}
                {fact ? null : <span className="wide">{solid ? ', on the exchange' : ', kept by the worker'}</span>}
              </span>
            </span>
          ))
        : null}
      {layers.indicators
        ? lines.map(({ name, label, dash, acts }) => (
            <span key={name}>
              <i className={acts ? 'nd' : dash === 'dotted' ? 'lo' : dash === 'dashed' ? 'sl' : 'fa'} />
              {label}
            </span>
          ))
        : null}
      {layers.orders ? (
        <>
          <span>
            <Icon name="up" /> buy
          </span>
          <span>
            <Icon name="dno" /> sell
          </span>
        </>
      ) : null}
    </div>
  );
}
