import { useEffect, useRef, useState } from 'react';
import { readDashboard } from '#api/contract/records.ts';
import type { Coin, Dashboard, Profile } from '#web/data/answers.ts';
import { useMarkets } from '#web/data/use-markets.ts';
import { useLoad } from '#web/data/load.ts';
import { useRead } from '#web/data/read.ts';
import { loadPast } from './load-past.ts';
import { NewestOnly } from './newest-only.ts';
import type { Comparison, Config, Past } from './summary.ts';
import { ReplayThread } from './thread.ts';

type Request = readonly [strategy: string, saved: Config, edit: Config];

interface Preview {
  readonly error: Error | null;
  /** From 0 to 1 while the past is loading. */
  readonly progress: number;
  readonly past: Past | undefined;
  readonly answer: Comparison | undefined;
}

interface PastOptions {
  readonly profile: Profile;
  readonly coin: Coin | undefined;
}

interface PreviewOptions extends PastOptions {
  readonly saved: Config;
  readonly edit: Config;
}

const marketsOf = ({ accounts }: Dashboard): Map<string, string | null> =>
  new Map(accounts.map(({ id, marketAt }) => [id, marketAt]));

/** The past of a coin, loaded once and kept while the page is open. */
function usePast({ profile, coin }: PastOptions) {
  const [progress, setProgress] = useState(0);
  const { data: markets } = useMarkets(profile.accountId);
  const { data: marketTimes } = useRead(readDashboard, {}, { select: marketsOf });
  const marketAt = marketTimes?.get(profile.accountId) ?? coin?.priceAt ?? null;
  const market = markets?.symbols.find(({ symbol }) => symbol === coin?.symbol);
  const { data: past, error } = useLoad({
    key: ['past', profile.id, coin?.symbol],
    enabled: coin !== undefined && market !== undefined && marketAt !== null,
    load: (signal): Promise<Past> => {
      if (coin === undefined || market === undefined || marketAt === null) throw new Error('No coin is chosen.');
      const { minNotional } = market;
      return loadPast({ profile, coin, minNotional, endMs: Date.parse(marketAt), signal, onProgress: setProgress });
    },
  });
  return { past, error, progress };
}

/** Replays the past of a coin with the saved and the edited config in a separate thread, newest edit only. */
export function usePreview({ saved, edit, ...place }: PreviewOptions): Preview {
  const { past, error, progress } = usePast(place);
  const [answer, setAnswer] = useState<Comparison | undefined>(undefined);
  const newest = useRef<NewestOnly<Request> | undefined>(undefined);
  useEffect(() => {
    if (past === undefined) return undefined;
    const thread = new ReplayThread(past);
    newest.current = new NewestOnly(async ([strategy, before, after]) => {
      setAnswer(await thread.compare(strategy, before, after));
    });
    return () => thread[Symbol.dispose]();
  }, [past]);
  const { strategyName } = place.profile;
  useEffect(() => {
    if (past !== undefined) newest.current?.push([strategyName, saved, edit]);
  }, [past, strategyName, saved, edit]);
  return { error, progress, past, answer: past === undefined ? undefined : answer };
}
