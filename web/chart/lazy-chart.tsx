import { lazy, type ReactNode, Suspense } from 'react';
import { Skeleton } from '#web/ui/notice.tsx';
import type { PriceChartProps } from './price-chart.tsx';

const Loaded = lazy(async () => ({ default: (await import('./price-chart.tsx')).PriceChart }));

/** The candle chart; its library is loaded when a page shows it. */
export function LazyChart(props: PriceChartProps): ReactNode {
  return (
    <Suspense fallback={<ChartSpace />}>
      <Loaded {...props} />
    </Suspense>
  );
}

/** The space of a chart until its script is there. */
function ChartSpace(): ReactNode {
  return (
    <div className="ch wait">
      <Skeleton rows={1} what="the chart" />
    </div>
  );
}
