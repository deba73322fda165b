import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { readDashboard } from '#api/contract/records.ts';
import { readKillSwitch, setKillSwitch } from '#api/contract/halts.ts';
import { call } from '#web/data/call.ts';
import { useTimes } from '#web/data/session.tsx';
import { keyOf, useRead, useRun } from '#web/data/read.ts';
import { quantity } from '#web/ui/numbers.ts';
import { isLive } from '#web/coin/order-labels.ts';
import { moment, utc } from '#web/ui/time.ts';
import { Switch } from '#web/ui/field.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure } from '#web/ui/notice.tsx';

const POLL_MS = 15_000;
const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;

interface SwitchRequest {
  engaged: boolean;
  cancelEntryOrders?: boolean;
  freeze?: boolean;
}

/** Shows the new state at once, before the other answers are fetched again. */
function useSwitch(onDone: () => void) {
  const client = useQueryClient();
  return useRun(async (body: SwitchRequest) => {
    client.setQueryData(keyOf(readKillSwitch), await call(setKillSwitch, { body }));
    onDone();
  });
}

/** Always visible. It only stops buying; the overview allows buying again. */
export function KillSwitch({ open, onOpen }: { open: boolean; onOpen: (open: boolean) => void }): ReactNode {
  const { zone, nowMs, toMarket } = useTimes();
  const { data: state } = useRead(readKillSwitch, {}, { every: POLL_MS });
  if (state?.engaged && state.since !== null) {
    const since = toMarket(Date.parse(state.since));
    return (
      <Link to="/" hash="stopped" className="kill on" title={utc(since)}>
        <Icon name="oct" /> Buying stopped {moment(since, zone, nowMs)}
      </Link>
    );
  }
  return (
    <>
      <button type="button" className="kill" aria-describedby="kill-words" onClick={() => onOpen(true)}>
        <Icon name="oct" /> Stop buying
      </button>
      <span id="kill-words" className="vh">
        Stops every new buy immediately. Exits and protective stops stay active. Needs your confirmation.
      </span>
      <StopDialog open={open} onClose={() => onOpen(false)} />
    </>
  );
}

function StopDialog({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  const { data } = useRead(readDashboard, {}, { enabled: open });
  const change = useSwitch(onClose);
  const [cancelEntryOrders, setCancel] = useState(false);
  const [freeze, setFreeze] = useState(false);
  const accounts = data?.accounts ?? [];
  const live = data?.orders.filter(isLive) ?? [];
  const buys = live.filter((order) => order.side === 'buy');
  const stops = live.filter((order) => order.purpose === 'stop').length;
  return (
    <Dialog title={`Stop buying on ${count(accounts.length, 'account')}?`} open={open} onClose={onClose}>
      <div className="two grid gap-2 py-2">
        <p>No new buy from now on, on {accounts.map(({ name }) => name).join(', ')}.</p>
        {buys.map((order) => (
          <p key={order.id}>
            {order.state === 'unknown' ? 'Unconfirmed' : 'Already sent'}: a buy of{' '}
            {quantity(order.quantity, data?.coins.find(({ symbol }) => symbol === order.symbol)?.stepSize ?? null)}{' '}
            {order.symbol}.{cancelEntryOrders ? '' : ' Not cancelled.'}
          </p>
        ))}
        <p>
          {freeze
            ? `Exits are frozen too: the service sells nothing, whatever the price.${stops > 0 ? ` ${count(stops, 'stop')} on the exchange may still sell.` : ''}`
            : `${stops > 0 ? `${count(stops, 'protective stop')} and every exit stay` : 'Every exit stays'} active. This sells nothing.`}
        </p>
        <Switch label="Also cancel open buy orders" on={cancelEntryOrders} onChange={setCancel} />
        <Switch label="Also freeze exits" on={freeze} onChange={setFreeze} />
      </div>
      <Failure what="Stop failed." error={change.error} />
      <div className="flex flex-wrap gap-3 pt-2">
        <button
          type="button"
          className="btn go"
          data-first
          disabled={change.isPending}
          onClick={() => change.mutate({ engaged: true, cancelEntryOrders, freeze })}
        >
          <Icon name="oct" /> Stop buying on {count(accounts.length, 'account')}
        </button>
        <button type="button" className="btn" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** Shown on the overview while buying is stopped; allows buying again after a confirmation. */
export function StoppedNotice(): ReactNode {
  const [open, setOpen] = useState(false);
  const { zone, nowMs, toMarket } = useTimes();
  const { data: state } = useRead(readKillSwitch, {});
  const { data } = useRead(readDashboard, {}, { enabled: false });
  const change = useSwitch(() => setOpen(false));
  if (!state?.engaged) return null;
  const running = data?.profiles.filter((profile) => profile.enabled) ?? [];
  const since = state.since === null ? null : toMarket(Date.parse(state.since));
  return (
    <div id="stopped" className="say care mb-4 flex flex-wrap items-center gap-3">
      <span className="grow">
        <Icon name="warn" /> <b>Buying is stopped{since === null ? '' : ` since ${moment(since, zone, nowMs)}`}.</b>{' '}
        Exits and stops stay active.{state.freeze ? ' This stop also freezes exits.' : ''} {state.reason ?? ''}
      </span>
      <button type="button" className="btn" onClick={() => setOpen(true)}>
        Allow buying again…
      </button>
      <Dialog title="Allow buying again?" open={open} onClose={() => setOpen(false)}>
        <p className="two py-2">
          {running.length === 0
            ? 'No profile is running. Nothing is bought until you start one.'
            : `These profiles may buy immediately, at current prices: ${running.map(({ name }) => name).join(', ')}.`}
        </p>
        <Failure what="Still stopped." error={change.error} />
        <div className="flex flex-wrap gap-3 pt-2">
          <button
            type="button"
            className="btn go"
            disabled={change.isPending}
            onClick={() => change.mutate({ engaged: false })}
          >
            Allow buying on {count(data?.accounts.length ?? 0, 'account')}
          </button>
          <button type="button" className="btn" data-first onClick={() => setOpen(false)}>
            Keep stopped
          </button>
        </div>
      </Dialog>
    </div>
  );
}
