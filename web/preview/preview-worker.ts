import { Replayer } from './replay.ts';
import type { Config, FromWorker, Replay, ToWorker } from './summary.ts';

let replayer: Replayer | undefined;
/** The saved config does not change while an edit does. */
let saved: { readonly key: string; readonly replay: Replay } | undefined;
let holding: readonly number[] = [];
/** Warm-up runs left before the JavaScript engine has compiled the kernel. */
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
    warm(replayer, data);
  }
});

/** The first runs take several times as long as later ones: they run while no request waits. */
function warm(known: Replayer, request: { readonly strategy: string; readonly edit: Config }): void {
  if (cold === 0) return;
  cold -= 1;
  setTimeout(() => {
    known.run(request.strategy, request.edit);
    warm(known, request);
  });
}

function answerOf(known: Replayer, request: Exclude<ToWorker, { kind: 'past' }>): FromWorker {
  const key = JSON.stringify([request.strategy, request.saved]);
  if (saved?.key !== key) saved = { key, replay: known.run(request.strategy, request.saved) };
  const startedAt = performance.now();
  const edit = known.run(request.strategy, request.edit);
  return {
    comparison: { tookMs: performance.now() - startedAt, saved: saved.replay, edit, holding },
  };
}
