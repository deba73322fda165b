import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { mergePatch } from '#core/merge.ts';
import type { BacktestOutcome } from '#backtest/run.ts';
import type { Coin, Profile } from '#web/data/queries.ts';
import { BacktestReport } from './backtest-report.tsx';
import { ResearchFrame } from './research-frame.tsx';
import { type Ready, ResearchReady } from './research-ready.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { SweepMap } from './sweep-map.tsx';
import type { Config } from '#web/preview/summary.ts';
import { ReplayThread } from '#web/preview/thread.ts';
import { usePast } from '#web/preview/use-preview.ts';
import { percent } from '#web/ui/numbers.ts';
import { ONE_OF_SEVERAL } from '#web/ui/sharing.ts';

export function QuickLookPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/quick-look' });
  return (
    <ResearchFrame id={id} part="Quick look">
      {(profile) => <QuickLook profile={profile} />}
    </ResearchFrame>
  );
}

function QuickLook({ profile }: { profile: Profile }): ReactNode {
  return (
    <>
      <div className="head">
        <h1 className="verdict">Quick look at {profile.name}</h1>
        <p className="two">
          Runs the saved settings over past candles in this browser. Nothing is stored.
          {profile.symbols.length > 1 ? ` ${ONE_OF_SEVERAL}` : ''}
        </p>
      </div>
      <ResearchReady profile={profile}>{(ready) => <Coins {...ready} />}</ResearchReady>
    </>
  );
}

function Coins({ profile, coins, schema, config }: Ready): ReactNode {
  const [symbol, setSymbol] = useState<string | undefined>(undefined);
  const coin = coins.find((candidate) => candidate.symbol === symbol) ?? coins[0];
  if (coin === undefined) return null;
  return (
    <>
      {coins.length < 2 ? null : (
        <div className="filters">
          <span className="in">
            <select aria-label="Coin" value={coin.symbol} onChange={(event) => setSymbol(event.target.value)}>
              {coins.map((option) => (
                <option key={option.symbol}>{option.symbol}</option>
              ))}
            </select>
          </span>
        </div>
      )}
      <OneCoin
        key={`${coin.symbol} ${JSON.stringify([profile.config, coin.overrideConfig])}`}
        profile={profile}
        coin={coin}
        schema={schema}
        config={mergePatch(config, coin.overrideConfig)}
      />
    </>
  );
}

interface OneCoinProps {
  profile: Profile;
  coin: Coin;
  schema: Config;
  /** Complete: defaults, the profile's settings and the coin's own. */
  config: Config;
}

function OneCoin({ profile, coin, schema, config }: OneCoinProps): ReactNode {
  const { past, error, progress } = usePast({ profile, coin, wanted: true });
  const [thread, setThread] = useState<ReplayThread | undefined>(undefined);
  const [outcome, setOutcome] = useState<BacktestOutcome | undefined>(undefined);
  // A change of settings remounts this component.
  const first = useRef(config);
  const { strategyName } = profile;
  useEffect(() => {
    if (past === undefined || past.columns.openMs.length === 0) return undefined;
    const made = new ReplayThread(past);
    const run = async (): Promise<void> => {
      setOutcome(await made.backtest(strategyName, first.current));
      setThread(made);
    };
    void run();
    return () => made[Symbol.dispose]();
  }, [past, strategyName]);
  if (error !== null) return <Failure what="Could not load the candles." error={error} />;
  if (past === undefined) {
    return (
      <p className="p-2" role="status">
        Loading the candles of {coin.symbol}: {percent(progress, 0)}. <progress max={1} value={progress} />
      </p>
    );
  }
  if (past.columns.openMs.length === 0) return <p className="p-2">No candles of {coin.symbol} yet.</p>;
  if (outcome === undefined) return <Skeleton rows={8} />;
  if (outcome.kind === 'refused') {
    return (
      <Notice tone="care" title="Nothing to replay.">
        {outcome.sentence}
      </Notice>
    );
  }
  return (
    <>
      <BacktestReport result={outcome.result} />
      <Section title="Where the good settings are" note="the past with two settings varied">
        {thread === undefined ? null : (
          <SweepMap thread={thread} profile={profile} schema={schema} config={config} coin={coin} />
        )}
      </Section>
    </>
  );
}
