import { Replayer } from './replay.ts';
import type { FromWorker, Replay, ToWorker } from './summary.ts';

let replayer: Replayer | undefined;
/** The saved config does not change while an edit does. */
let saved: { readonly key: string; readonly replay: Replay } | undefined;
let holding: readonly number[] = [];

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'past') {
    replayer = new Replayer(data.past);
    holding = replayer.holding();
    saved = undefined;
  } else if (replayer !== undefined) self.postMessage(answerOf(replayer, data));
});

function answerOf(known: Replayer, wish: Exclude<ToWorker, { kind: 'past' }>): FromWorker {
  if (wish.kind === 'attempt') return { kind: 'attempted', replay: known.run(wish.strategy, wish.config) };
  if (wish.kind === 'backtest') return { kind: 'tested', outcome: known.backtest(wish.strategy, wish.config) };
  const key = JSON.stringify([wish.strategy, wish.saved]);
  if (saved?.key !== key) saved = { key, replay: known.run(wish.strategy, wish.saved) };
  const begun = performance.now();
  const edit = known.run(wish.strategy, wish.edit);
  return { kind: 'compared', comparison: { tookMs: performance.now() - begun, saved: saved.replay, edit, holding } };
}
