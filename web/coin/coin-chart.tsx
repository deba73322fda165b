import type { ReactNode } from 'react';
import { isInterval } from '#core/market/candle.ts';
import type { Coin, Profile } from '#web/data/answers.ts';
import { useSame } from '#web/data/use-same.ts';
import type { ChartLevel } from '#web/chart/chart-levels.ts';
import type { TradeSpan } from '#web/chart/chart-data.ts';
import type { ChartRange } from '#web/chart/chart-view.ts';
import { LazyChart } from '#web/chart/lazy-chart.tsx';
import { Section } from '#web/ui/section.tsx';
import { coinView } from './coin-view.ts';

interface CoinChartProps {
  profile: Profile;
  coin: Coin;
  /** The stop is on the exchange; else the worker keeps it. */
  stopRests: boolean;
  trade: TradeSpan | undefined;
  onTrade: (trade: TradeSpan | undefined) => void;
  /** Time of the decision that is shown below. */
  momentMs: number | undefined;
  onRange: (range: ChartRange) => void;
}

/** The chart of a coin that trades now. */
export function CoinChart({ profile, coin, stopRests, ...on }: CoinChartProps): ReactNode {
  const { base, quote } = coinView(coin);
  const interval = String(profile.config['candleInterval']);
  const { symbol, tickSize, price, priceAt, position } = coin;
  return (
    <Section title="Chart" note="solid: on the exchange, dashed: kept by the worker">
      <LazyChart
        source={useSame({ kind: 'coin', profileId: profile.id, symbol })}
        coin={useSame({ symbol, base, quote, tickSize })}
        first={isInterval(interval) ? interval : '1h'}
        levels={useSame(planOf(coin, stopRests))}
        price={useSame(
          price === null || priceAt === null ? undefined : { value: Number(price), atMs: Date.parse(priceAt) },
        )}
        heldSinceMs={position.openedAt === null ? undefined : Date.parse(position.openedAt)}
        {...on}
      />
    </Section>
  );
}

/** The levels of the plan, and the average price; while something is held, the next buy too. */
function planOf(coin: Coin, stopRests: boolean): ChartLevel[] {
  const { held } = coinView(coin);
  const { openedAt, averagePrice } = coin.position;
  const fromMs = held && openedAt !== null ? Date.parse(openedAt) : undefined;
  const plan = (coin.state?.plan ?? [])
    .filter(({ name }) => name !== 'cost' && (held || name === 'entry'))
    .map(({ name, price }) => ({
      ...{ name, price: Number(price), fact: false, fromMs },
      solid: name === 'stop' && stopRests,
    }));
  const cost = { name: 'Average price', price: Number(averagePrice), fact: true, solid: true, fromMs };
  return held ? [...plan, cost] : plan;
}
