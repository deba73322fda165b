import { Replayer } from './replay.ts';
import type { Config, FromWorker, Replay, ToWorker } from './summary.ts';

let replayer: Replayer | undefined;
/** The saved config does not change while an edit does. */
let saved: { readonly key: string; readonly replay: Replay } | undefined;
let holding: readonly number[] = [];
/** How many more runs there are to be before the engine has compiled what they go through. */
let cold = 0;
const COLD_RUNS = 4;

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'past') {
    replayer = new Replayer(data.past);
    holding = replayer.holding();
    saved = undefined;
    cold = COLD_RUNS;
  } else if (replayer !== undefined) {
    self.postMessage(answerOf(replayer, data));
    if (data.kind === 'compare') warm(replayer, data);
  }
});

/** The first runs take several times as long as later ones: they are made while nobody waits for an answer. */
function warm(known: Replayer, wish: { readonly strategy: string; readonly edit: Config }): void {
  if (cold === 0) return;
  cold -= 1;
  setTimeout(() => {
    known.run(wish.strategy, wish.edit);
    warm(known, wish);
  });
}

function answerOf(known: Replayer, wish: Exclude<ToWorker, { kind: 'past' }>): FromWorker {
  if (wish.kind === 'attempt') return { kind: 'attempted', replay: known.run(wish.strategy, wish.config) };
  if (wish.kind === 'backtest') return { kind: 'tested', outcome: known.backtest(wish.strategy, wish.config) };
  const key = JSON.stringify([wish.strategy, wish.saved]);
  if (saved?.key !== key) saved = { key, replay: known.run(wish.strategy, wish.saved) };
  const begun = performance.now();
  const edit = known.run(wish.strategy, wish.edit);
  return { kind: 'compared', comparison: { tookMs: performance.now() - begun, saved: saved.replay, edit, holding } };
}
