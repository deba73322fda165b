import { TERMS } from '#web/preview/load-past.ts';
import { CoinReplayer, type ReplayCoin, type ReplayRequest, type WizardAnswer } from './replay.ts';

export type ToReplay =
  | { readonly kind: 'coin'; readonly coin: ReplayCoin }
  | { readonly kind: 'run'; readonly request: ReplayRequest };

const replayer = new CoinReplayer(TERMS);

self.addEventListener('message', ({ data }: MessageEvent<ToReplay>) => {
  if (data.kind === 'coin') replayer.add(data.coin);
  else self.postMessage(replayer.answer(data.request) satisfies WizardAnswer);
});
