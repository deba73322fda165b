import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AccountId } from '#core/ids.ts';
import type { PaperMarket } from '#core/installation/paper-market.ts';
import { changePaperMarket, readPaperMarket } from '#api/contract/paper-market.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { PRESETS } from '#strategies/presets.ts';
import { call } from './call.ts';
import { isSignedOut } from './problem-error.ts';
import { useRead } from './read.ts';

const LOOK_EVERY_MS = 500;
const LONGEST_MS = 90_000;
/** The coins whose candles come with Tradewind. */
const REPLAYED = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT'];

/** The market of the paper exchange; null when this installation does not run one. */
export function usePaperMarket() {
  // The supervisor names the market shortly after the api has started.
  const { data } = useRead(readPaperMarket, {}, { every: (answer) => (answer?.paper === null ? 5_000 : false) });
  return data?.paper;
}

/** Switches the market and resolves when it runs. The api starts again meanwhile and does not answer for a moment. */
async function changeTo(market: PaperMarket): Promise<void> {
  await call(changePaperMarket, { body: { market } });
  const untilMs = performance.now() + LONGEST_MS;
  while (performance.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const paper = await call(readPaperMarket, {}).then(
      (answer) => answer.paper,
      (error: unknown) => {
        if (isSignedOut(error)) throw error;
        return null;
      },
    );
    if (paper?.problem != null) throw new Error(paper.problem);
    if (paper?.market === market) return;
  }
  throw new Error('The paper exchange does not run the other market yet. Reload this page in a minute.');
}

export function useChangeMarket() {
  const client = useQueryClient();
  return useMutation({ mutationFn: changeTo, onSettled: () => client.invalidateQueries() });
}

/** Replays the two months with the preset Balanced, and opens the overview. */
export function useReplayTour(accountId: AccountId | undefined) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      if (accountId === undefined) throw new Error('There is no account.');
      await changeTo('two-months');
      const body = {
        ...{ accountId, name: 'Two months', strategyName: 'trailing-trade', enabled: true, symbols: REPLAYED },
        config: { ...PRESETS.get('trailing-trade')?.find(({ name }) => name === 'Balanced')?.config },
      };
      return call(createProfile, { body });
    },
    onSuccess: () => navigate({ to: '/' }),
  });
}
