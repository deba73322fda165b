import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isObject, mergePatch } from '#core/merge.ts';
import type { Answer } from '#api/contract/operation.ts';
import { listCoins, listStrategies } from '#api/contract/profiles.ts';
import type { Coin, Profile } from '#web/data/answers.ts';
import { useMarketClock } from '#web/data/session.tsx';
import { useRead } from '#web/data/read.ts';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import { Read } from '#web/ui/read.tsx';

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
  const strategies = useRead(listStrategies, {});
  const held = useRead(listCoins, { params: { id: profile.id } });
  return (
    <Read of={strategies} what="the settings" rows={6} height={72}>
      {(known) => (
        <Read of={held} what="the coins" rows={6} height={72}>
          {({ coins }) => (
            <Complete
              profile={profile}
              strategy={known.strategies.find(({ name }) => name === profile.strategyName)}
              coins={coins}
            >
              {children}
            </Complete>
          )}
        </Read>
      )}
    </Read>
  );
}

interface CompleteProps extends ReadyProps {
  strategy: Answer<typeof listStrategies>['strategies'][number] | undefined;
  coins: readonly Coin[];
}

function Complete({ profile, strategy, coins, children }: CompleteProps): ReactNode {
  const marketNow = useMarketClock(profile.accountId);
  if (marketNow === undefined) return <Skeleton rows={6} height={72} what="the market time" />;
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
