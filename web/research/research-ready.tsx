import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isObject, mergePatch } from '#core/merge.ts';
import { type Coin, coinsQuery, type Profile, strategiesQuery } from '#web/data/queries.ts';
import { useMarketClock } from '#web/data/session.tsx';
import { Failure, Say, Skeleton } from '#web/ui/say.tsx';

type Config = Record<string, unknown>;

/** What every form of research needs to know of a profile. */
export interface Ready {
  readonly profile: Profile;
  readonly coins: readonly Coin[];
  readonly schema: Config;
  /** Defaults of the strategy and the profile's own settings. */
  readonly config: Config;
  readonly quote: string | undefined;
  /** The strategy makes one plan over all coins. */
  readonly plansBaskets: boolean;
  /** The candles that decide. */
  readonly interval: string;
  /** Time of the market that the profile trades on. */
  readonly marketNow: () => number;
}

interface ReadyProps {
  profile: Profile;
  children: (ready: Ready) => ReactNode;
}

/** Waits for the strategy, the coins and the market's time of a profile; says so where there are none. */
export function ResearchReady({ profile, children }: ReadyProps): ReactNode {
  const strategies = useQuery(strategiesQuery);
  const held = useQuery(coinsQuery(profile.id));
  const marketNow = useMarketClock(profile.accountId);
  const failed = strategies.error ?? held.error;
  if (failed !== null) return <Failure what="The settings could not be read." error={failed} />;
  if (strategies.data === undefined || held.data === undefined || marketNow === undefined) return <Skeleton rows={6} />;
  const { coins } = held.data;
  const strategy = strategies.data.strategies.find(({ name }) => name === profile.strategyName);
  if (strategy === undefined)
    return (
      <Say tone="care" title="Unknown strategy.">
        This version has no strategy called {profile.strategyName}.
      </Say>
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
      <Say tone="next" title="No worker has told the time of the market yet.">
        The periods to choose from end there; a worker tells it within seconds of its start.
      </Say>
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
