import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { deleteAverageEntryPrice, setAverageEntryPrice } from '#api/contract/profiles.ts';
import { readJob } from '#api/contract/jobs.ts';
import { call } from '#web/data/call.ts';
import type { Coin } from '#web/data/answers.ts';
import { useRead, useRun } from '#web/data/read.ts';
import { coinView } from './coin-view.ts';
import { price } from '#web/ui/numbers.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';

interface PriceFieldProps {
  value: string;
  onChange: (text: string) => void;
  unit?: string;
  required?: boolean;
}

export function PriceField({ value, onChange, unit, required = false }: PriceFieldProps): ReactNode {
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="two">
        Average entry price
      </label>
      <span className="in">
        <input
          id={id}
          inputMode="decimal"
          placeholder={required ? '' : 'only if already held'}
          autoComplete="off"
          required={required}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />{' '}
        {unit === undefined ? null : <span className="unit">{unit}</span>}
      </span>
    </>
  );
}

interface EntryPriceProps {
  profileId: ProfileId;
  coin: Coin;
}

/** The average entry price of the held coins: saved for the worker to apply, or removed. */
export function EntryPrice({ profileId, coin }: EntryPriceProps): ReactNode {
  const { costBasis, symbol } = coin;
  const { base, quote } = coinView(coin);
  const [text, setText] = useState(costBasis?.averageEntryPrice ?? '');
  const params = { id: profileId, symbol };
  const save = useRun(async (averageEntryPrice: string | null) => {
    if (averageEntryPrice === null) return call(deleteAverageEntryPrice, { params });
    return call(setAverageEntryPrice, { params, body: { averageEntryPrice } });
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(text.trim());
  };
  return (
    <form className="actions" onSubmit={submit}>
      <PriceField value={text} onChange={setText} unit={quote} required />
      <button type="submit" className="btn" disabled={save.isPending}>
        Save price
      </button>
      {costBasis === null ? null : (
        <button type="button" className="btn quiet" disabled={save.isPending} onClick={() => save.mutate(null)}>
          Delete price
        </button>
      )}
      <p className="note w-full">
        The average cost of the {base} in the wallet. The profile manages all of it at this price from its next tick on.
        Without a price it sells none of it.
      </p>
      <div className="w-full">
        <Failure what="Not changed." error={save.error} />
        {save.isSuccess ? <Applied jobId={save.data.jobId} /> : null}
      </div>
    </form>
  );
}

const POLL_MS = 1_000;

/** Whether the worker has applied a saved price. */
function Applied({ jobId }: { jobId: string }): ReactNode {
  const { data: job } = useRead(
    readJob,
    { params: { id: jobId } },
    { every: (data) => (data?.state === 'done' || data?.state === 'failed' ? false : POLL_MS) },
  );
  if (job?.state === 'done') return <Notice tone="next">Saved, and the worker has applied it.</Notice>;
  if (job?.errorMessage == null) return <Notice tone="next">Saved. The worker applies it within seconds.</Notice>;
  const next = job.state === 'failed' ? 'Fix the cause, then save again.' : 'The worker retries.';
  return (
    <Notice tone="care" title="Saved, but not applied yet.">
      {job.errorMessage} {next}
    </Notice>
  );
}

/** A recorded price without a position, with its note; and a form for the price of unmanaged coins. */
export function UnheldPrice({ profileId, coin }: EntryPriceProps): ReactNode {
  const [open, setOpen] = useState(false);
  const { costBasis, untracked } = coin;
  const { base, quote, held } = coinView(coin);
  return (
    <>
      {held || costBasis?.note == null ? null : (
        <>
          <dt>Recorded price</dt>
          <dd>
            {price(costBasis.averageEntryPrice, coin.tickSize)} <span className="unit">{quote}</span>
            <span className="note block">{costBasis.note}</span>
          </dd>
        </>
      )}
      {untracked === null ? null : (
        <>
          <dt className="border-0">In the wallet, unmanaged</dt>
          <dd className="border-0">
            {untracked} <span className="unit">{base}</span>
          </dd>
          <dd className="col-span-full">
            <button type="button" className="btn small" onClick={() => setOpen(true)}>
              Average entry price
            </button>
          </dd>
        </>
      )}
      <Dialog title={`${coin.symbol}: average entry price`} open={open} onClose={() => setOpen(false)}>
        <EntryPrice profileId={profileId} coin={coin} />
      </Dialog>
    </>
  );
}
