import { useEffect, useRef, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import type { Market } from '#web/data/answers.ts';
import { useLoads } from '#web/data/load.ts';
import { loadFinest, rulesOf } from '#web/preview/load-past.ts';
import { NewestOnly } from '#web/preview/newest-only.ts';
import type { ConfigCheck, ReplayAnswer, ReplayCoin, ReplayRequest, WizardAnswer } from './replay.ts';
import type { ToReplay } from './replay-worker.ts';

const DAYS = 90;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface ReplayOptions extends ReplayRequest {
  readonly accountId: AccountId;
  readonly markets: readonly Market[] | undefined;
  /** Market time in ms; undefined while it is not known. */
  readonly endMs: number | undefined;
}

export interface WizardReplay {
  readonly answer: ReplayAnswer | undefined;
  /** Of the newest config that the thread has checked; undefined before the first. */
  readonly check: ConfigCheck | undefined;
  /** The coin whose candles are loading, and its share from 0 to 1; undefined when all are loaded. */
  readonly loading: { readonly symbol: string; readonly share: number } | undefined;
  readonly error: Error | null;
  /** Coins in the answer, in their order. */
  readonly loaded: readonly string[];
}

/** Replays the newest request over the last 90 days of its coins, which load one after the other, in a separate thread. */
export function useReplay({ accountId, markets, endMs, ...request }: ReplayOptions): WizardReplay {
  const [share, setShare] = useState(0);
  const [answer, setAnswer] = useState<WizardAnswer | undefined>(undefined);
  // One window per hour: each change of the end would load everything again.
  const hourMs = endMs === undefined ? undefined : endMs - (endMs % HOUR_MS);
  const coins = request.coins.flatMap((symbol) => markets?.find((market) => market.symbol === symbol) ?? []);
  const pasts = useLoads<ReplayCoin>(
    coins.map((market) => ({
      key: ['past', accountId, market.symbol, hourMs],
      enabled: hourMs !== undefined,
      load: (signal) =>
        loadTurn(() => loadCoin({ accountId, market, endMs: hourMs ?? 0, signal, onProgress: setShare })),
    })),
  );
  const ready = pasts.flatMap(({ data }) => data ?? []);
  const loaded = ready.map(({ rules }) => rules.symbol);
  const thread = useThread(setAnswer);
  useEffect(() => {
    for (const coin of ready) thread.current?.give(coin);
    thread.current?.ask({ ...request, loaded });
  });
  const missing = coins.find(({ symbol }) => !loaded.includes(symbol));
  const error = pasts.find((past) => past.error !== null)?.error ?? null;
  return {
    answer: answer?.request.strategy === request.strategy ? answer.replay : undefined,
    check: answer?.request.strategy === request.strategy ? answer.check : undefined,
    loading: missing === undefined || error !== null ? undefined : { symbol: missing.symbol, share },
    error,
    loaded,
  };
}

/** One coin at a time: the service limits how many candles a session may request in a minute. */
let turn: Promise<unknown> = Promise.resolve();
function loadTurn<Value>(load: () => Promise<Value>): Promise<Value> {
  const next = turn.then(load, load);
  turn = next.catch(() => undefined);
  return next;
}

interface LoadInput {
  readonly accountId: AccountId;
  readonly market: Market;
  readonly endMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

async function loadCoin({ accountId, market, endMs, signal, onProgress }: LoadInput): Promise<ReplayCoin> {
  const span = { fromMs: endMs - DAYS * DAY_MS, endMs };
  onProgress(0);
  const found = await loadFinest({ where: { accountId }, symbol: market.symbol, span, signal, onProgress });
  return { ...found, rules: rulesOf(market) };
}

/** `loaded`: with each further coin the same request has another answer. */
type Ask = ReplayRequest & { readonly loaded: readonly string[] };

interface Thread {
  give(coin: ReplayCoin): void;
  ask(request: Ask): void;
}

/** A thread that holds the candles; it answers the newest request only. */
function useThread(onAnswer: (answer: WizardAnswer) => void) {
  const thread = useRef<Thread | undefined>(undefined);
  useEffect(() => {
    const worker = new Worker(new URL('./replay-worker.ts', import.meta.url), { type: 'module', name: 'replay' });
    const post = (message: ToReplay): void => worker.postMessage(message);
    const given = new Map<string, ReplayCoin>();
    let answered: (answer: WizardAnswer) => void = () => undefined;
    worker.onmessage = ({ data }: MessageEvent<WizardAnswer>) => answered(data);
    const newest = new NewestOnly<Ask>(async ({ loaded: _, ...request }) => {
      const { promise, resolve } = Promise.withResolvers<WizardAnswer>();
      answered = resolve;
      post({ kind: 'run', request });
      onAnswer(await promise);
    });
    thread.current = {
      give(coin) {
        if (given.get(coin.rules.symbol) === coin) return;
        given.set(coin.rules.symbol, coin);
        post({ kind: 'coin', coin });
      },
      ask: (request) => newest.push(request),
    };
    return () => worker.terminate();
  }, [onAnswer]);
  return thread;
}
