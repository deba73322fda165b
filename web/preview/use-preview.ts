import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Interval } from '#core/candle.ts';
import { type Coin, type Profile, symbolsQuery } from '#web/data/queries.ts';
import { loadPast } from './load-past.ts';
import type { FromWorker, Past, ToWorker } from './summary.ts';

export interface Preview {
  readonly error: Error | null;
  /** From 0 to 1 while the past is read. */
  readonly progress: number;
  readonly past: Past | undefined;
  readonly answer: FromWorker | undefined;
}

interface Wanted {
  readonly profile: Profile;
  readonly coin: Coin | undefined;
  readonly needed: Interval;
  readonly saved: Readonly<Record<string, unknown>>;
  readonly edit: Readonly<Record<string, unknown>>;
  /** Nothing is read before somebody wants to see it. */
  readonly wanted: boolean;
}

/** Replays the past of a coin with the saved and the edited config in a thread of its own, newest edit only. */
export function usePreview({ profile, coin, needed, saved, edit, wanted }: Wanted): Preview {
  const [progress, setProgress] = useState(0);
  const [answer, setAnswer] = useState<FromWorker | undefined>(undefined);
  const { data: markets } = useQuery({ ...symbolsQuery(profile.accountId), enabled: wanted });
  const market = markets?.symbols.find(({ symbol }) => symbol === coin?.symbol);
  const { data: past, error } = useQuery({
    queryKey: ['past', profile.id, coin?.symbol, needed],
    enabled: wanted && coin !== undefined && market !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }): Promise<Past> => {
      if (coin === undefined || market === undefined) throw new Error('No coin is chosen.');
      const { minNotional } = market;
      return loadPast({ profile, coin, minNotional, needed, signal, onProgress: setProgress });
    },
  });
  const thread = useRef<PreviewThread | undefined>(undefined);
  useEffect(() => {
    if (past === undefined) return undefined;
    const made = new PreviewThread(past, setAnswer);
    thread.current = made;
    return () => made.close();
  }, [past]);
  const { strategyName: strategy } = profile;
  useEffect(() => {
    if (past !== undefined) thread.current?.ask({ kind: 'replay', strategy, saved, edit });
  }, [past, strategy, saved, edit]);
  return { error, progress, past, answer: past === undefined ? undefined : answer };
}

/** A thread that knows one past. While it is busy only the newest wish waits. */
class PreviewThread {
  private readonly worker: Worker;
  private waiting: ToWorker | undefined;
  private asked = '';
  private busy = false;

  constructor(past: Past, onAnswer: (answer: FromWorker) => void) {
    this.worker = new Worker(new URL('./preview-worker.ts', import.meta.url), { type: 'module', name: 'preview' });
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      this.busy = false;
      onAnswer(data);
      this.next();
    };
    this.tell({ kind: 'past', past });
  }

  ask(wish: ToWorker): void {
    const text = JSON.stringify(wish);
    if (text === this.asked) return;
    this.asked = text;
    this.waiting = wish;
    this.next();
  }

  close(): void {
    this.worker.terminate();
  }

  private next(): void {
    if (this.busy || this.waiting === undefined) return;
    this.busy = true;
    this.tell(this.waiting);
    this.waiting = undefined;
  }

  private tell(message: ToWorker): void {
    this.worker.postMessage(message);
  }
}
