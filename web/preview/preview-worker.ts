import { Replayer } from './replay.ts';
import type { FromWorker, Replay, ToWorker } from './summary.ts';

let replayer: Replayer | undefined;
/** The saved config does not change while an edit does. */
let saved: { readonly key: string; readonly replay: Replay } | undefined;
let holding: readonly number[] = [];

self.addEventListener('message', (event: MessageEvent<ToWorker>) => {
  const told = event.data;
  if (told.kind === 'past') {
    replayer = new Replayer(told.past);
    holding = replayer.holding();
    saved = undefined;
    return;
  }
  if (replayer === undefined) return;
  const key = JSON.stringify([told.strategy, told.saved]);
  if (saved?.key !== key) saved = { key, replay: replayer.run(told.strategy, told.saved) };
  const begun = performance.now();
  const edit = replayer.run(told.strategy, told.edit);
  const answer: FromWorker = {
    tookMs: performance.now() - begun,
    saved: saved.replay,
    edit,
    holding,
  };
  self.postMessage(answer);
});
