import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import { usePaperMarket, useReplayTour } from '#web/data/use-paper-market.ts';
import { Failure } from '#web/ui/notice.tsx';

/** One click: two months of candles pass in three minutes, with a first profile. */
export function ReplayTour({ accountId }: { accountId: AccountId | undefined }): ReactNode {
  const paper = usePaperMarket();
  const tour = useReplayTour(accountId);
  if (paper == null || paper.market === 'replay') return null;
  return (
    <>
      <Failure what="The replay did not start." error={tour.error} />
      <div className="actions">
        <button
          type="button"
          className="btn"
          disabled={tour.isPending || accountId === undefined}
          onClick={() => tour.mutate()}
        >
          {tour.isPending ? 'Starting the replay…' : 'Replay two months'}
        </button>
        <span className="note">
          Synthetic candles of five coins pass in three minutes, with the preset Balanced. Ends with a filled history.
        </span>
      </div>
    </>
  );
}
