import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isObject, mergePatch } from '#core/merge.ts';
import { type Coin, coinsQuery, type Profile, strategiesQuery } from '#web/data/queries.ts';
import { useMarketClock } from '#web/data/session.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';

type Config = Record<string, unknown>;

/** The data of a profile that every research form needs. */
export interface Ready {
  readonly profile: Profile;
  readonly coins: readonly Coin[];
  readonly schema: Config;
  /** Defaults of the strategy and the profile's own settings. */
  readonly config: Config;
  readonly quote: string | undefined;
  /** The strategy makes one plan over all coins. */
  readonly plansBaskets: boolean;
  /** The candle interval of the strategy. */
  readonly interval: string;
  /** Market time in ms. */
  readonly marketNow: () => number;
}

interface ReadyProps {
  profile: Profile;
  children: (ready: Ready) => ReactNode;
}

/** Waits for the strategy, the coins and the market time of a profile; shows a notice where one is missing. */
export function ResearchReady({ profile, children }: ReadyProps): ReactNode {
  const strategies = useQuery(strategiesQuery);
  const held = useQuery(coinsQuery(profile.id));
  const marketNow = useMarketClock(profile.accountId);
  const failed = strategies.error ?? held.error;
  if (failed !== null) return <Failure what="Could not load the settings." error={failed} />;
  if (strategies.data === undefined || held.data === undefined || marketNow === undefined) return <Skeleton rows={6} />;
  const { coins } = held.data;
  const strategy = strategies.data.strategies.find(({ name }) => name === profile.strategyName);
  if (strategy === undefined)
    return (
      <Notice tone="care" title="Unknown strategy.">
        This version has no strategy named {profile.strategyName}.
      </Notice>
    );
  if (coins.length === 0)
    return (
      <p className="p-2">
        Add a coin to the{' '}
        <Link to="/profiles/$id" params={{ id: profile.id }}>
          profile
        </Link>{' '}
        first.
      </p>
    );
  if (marketNow === null)
    return (
      <Notice tone="next" title="No worker has reported the market time yet.">
        Periods end at the market time. A worker reports it within seconds of its start.
      </Notice>
    );
  const merged = mergePatch(strategy.defaults, profile.config);
  const config = isObject(merged) ? merged : {};
  const [quote, other] = new Set(coins.map((coin) => coin.quoteAsset ?? ''));
  const interval = String(config['candleInterval']);
  return children({
    profile,
    coins,
    schema: strategy.schema,
    config,
    interval,
    marketNow,
    plansBaskets: strategy.capabilities.plansBaskets,
    quote: other === undefined ? quote : undefined,
  });
}
