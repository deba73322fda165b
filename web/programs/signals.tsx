import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { deleteInlet, listInlets, listSignals, replaceInletSecret } from '#api/contract/signals.ts';
import type { Answer } from '#api/contract/operation.ts';
import type { Profile } from '#web/data/answers.ts';
import { call } from '#web/data/call.ts';
import { useRead } from '#web/data/read.ts';
import { useDemo } from '#web/data/session.tsx';
import { ProfileFrame } from '#web/profile/profile-frame.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { count } from '#web/ui/numbers.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { CopyText } from './copy-text.tsx';
import { DemoNote } from './demo-note.tsx';
import { NewInlet } from './new-inlet.tsx';
import { acceptedText, alertBody, type Inlet, type InletSecret, refusedText } from './signal-text.ts';

const POLL_MS = 5_000;
type Signal = Answer<typeof listSignals>['signals'][number];

/** The inlets of a profile through which other programs send it signals, and the newest signals. */
export function SignalsPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/signals' });
  const demo = useDemo();
  return (
    <ProfileFrame id={id} part="Signals">
      {(profile) => (demo ? <DemoNote title="Signals" /> : <Signals profile={profile} />)}
    </ProfileFrame>
  );
}

function Signals({ profile: { id, takesSignals } }: { profile: Profile }): ReactNode {
  const inlets = useRead(listInlets, { params: { id } }, { every: POLL_MS });
  const [created, setCreated] = useState<InletSecret>();
  const known = inlets.data?.inlets;
  return (
    <>
      <div className="head">
        <h1 className="verdict">{verdictOf(known, takesSignals)}</h1>
        <p className="two">
          A signal requests a buy or a sale. The settings and limits of the profile decide the amount, and whether it is
          placed at all.
        </p>
      </div>
      <div className="cols">
        <div className="c8">
          {created === undefined ? null : <Created {...created} onClose={() => setCreated(undefined)} />}
          <Section title="Inlets" note="counts of the last 30 days; wrong secrets are not counted">
            <Read of={inlets} what="the inlets" rows={2}>
              {({ inlets: rows }) => <InletTable id={id} inlets={rows} onReplaced={setCreated} />}
            </Read>
          </Section>
          <Newest id={id} />
        </div>
        <div className="c4">{takesSignals ? <NewInlet id={id} onCreated={setCreated} /> : null}</div>
      </div>
    </>
  );
}

function verdictOf(inlets: readonly Inlet[] | undefined, takesSignals: boolean): string {
  if (!takesSignals) return 'The strategy of this profile does not act on signals.';
  if (inlets === undefined) return 'Signals';
  if (inlets.length === 0) return 'No program can send signals.';
  return `${count(inlets.length, 'inlet')} ${inlets.length === 1 ? 'takes' : 'take'} signals.`;
}

function Created({ name, path, secret, onClose }: InletSecret & { onClose: () => void }): ReactNode {
  return (
    <Section title={`Secret of ${name}`} note="shown only now">
      <p className="p-2" role="status">
        Copy both texts into the alert of the sender now: the secret cannot be shown again.
      </p>
      <p className="two px-2">Webhook address; chart services reach only https on its usual port:</p>
      <CopyText name="the address" text={`${location.origin}${path}`} />
      <p className="two px-2">
        Message, for an alert of TradingView. The action is buy, sell or close. Other senders put the coin pair and the
        time in UTC in place of the braces:
      </p>
      <CopyText name="the message" text={alertBody(secret)} />
      <div className="actions">
        <button type="button" className="btn" onClick={onClose}>
          I have copied them
        </button>
      </div>
    </Section>
  );
}

interface InletsProps {
  id: ProfileId;
  onReplaced: (replaced: InletSecret) => void;
}

function InletTable({ id, inlets, onReplaced }: InletsProps & { inlets: readonly Inlet[] }): ReactNode {
  if (inlets.length === 0) return <p className="p-2">No inlets yet.</p>;
  return (
    <div className="tw">
      <table className="cards">
        <thead>
          <tr>
            <th>Name</th>
            <th>Last signal</th>
            <th>Accepted</th>
            <th>Refused</th>
            <th className="num">Max. age</th>
            <th>
              <span className="vh">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {inlets.map((inlet) => (
            <InletRow key={inlet.id} id={id} inlet={inlet} onReplaced={onReplaced} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function InletRow({ id, inlet, onReplaced }: InletsProps & { inlet: Inlet }): ReactNode {
  const { name, lastSignalAt, outcomes, maxAgeSeconds } = inlet;
  return (
    <tr>
      <td>
        <b>{name}</b>
      </td>
      <td className="rt" data-l="Last signal">
        {lastSignalAt === null ? 'never' : <When at={lastSignalAt} />}
      </td>
      <td className="full" data-l="Accepted">
        {acceptedText(outcomes)}
      </td>
      <td className="full" data-l="Refused">
        {refusedText(outcomes)}
      </td>
      <td className="num" data-l="Max. age">
        {maxAgeSeconds} s
      </td>
      <td className="full">
        <InletActions id={id} inlet={inlet} onReplaced={onReplaced} />
      </td>
    </tr>
  );
}

function InletActions({ id, inlet: { id: inlet, name }, onReplaced }: InletsProps & { inlet: Inlet }): ReactNode {
  const params = { id, inlet };
  return (
    <span className="flex flex-wrap gap-2">
      <Confirm
        small
        words="New secret…"
        label={`New secret for ${name}…`}
        title={`Replace the secret of ${name}?`}
        action={`Replace the secret of ${name}`}
        failed="Not replaced."
        run={async () => onReplaced({ ...(await call(replaceInletSecret, { params })), name })}
      >
        The next signal with the old secret is refused. The address stays.
      </Confirm>
      <Confirm
        small
        words="Revoke…"
        label={`Revoke ${name}…`}
        title={`Revoke the inlet ${name}?`}
        action={`Revoke ${name}`}
        failed="Not revoked."
        run={() => call(deleteInlet, { params })}
      >
        The next signal through it is refused. The signals that it recorded stay. This cannot be undone.
      </Confirm>
    </span>
  );
}

function Newest({ id }: { id: ProfileId }): ReactNode {
  const signals = useRead(listSignals, { params: { id } }, { every: POLL_MS });
  return (
    <Section title="Signals" note="the newest 100, kept 30 days">
      <Read of={signals} what="the signals" rows={3}>
        {({ signals: rows }) =>
          rows.length === 0 ? (
            <p className="p-2">No signal has arrived.</p>
          ) : (
            <div className="tw">
              <table className="cards">
                <thead>
                  <tr>
                    <th>Time</th>
                    <th>Inlet</th>
                    <th>Signal</th>
                    <th>Outcome</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <SignalRow key={row.id} signal={row} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Read>
    </Section>
  );
}

const MARKS = { used: 'ok', ended: 'dot', pending: 'ring', refused: 'x' } as const;
const ACTIONS = { buy: 'Buy', sell: 'Sell', close: 'Close' } as const;
const WORDS = { used: 'Order placed', ended: 'Ended', pending: 'Waiting', refused: 'Refused' } as const;

function SignalRow({ signal }: { signal: Signal }): ReactNode {
  const { receivedAt, inlet, action, symbol, key, state, sentence, orderId } = signal;
  return (
    <tr>
      <td>
        <When at={receivedAt} />
      </td>
      <td className="rt">{inlet}</td>
      <td className="full">
        {ACTIONS[action]} {symbol}
        {key.startsWith(`${symbol}:${action}:`) ? null : <code className="note block">{key}</code>}
      </td>
      <td className="full">
        <span className={state === 'refused' ? 'care' : ''}>
          <Icon name={MARKS[state]} />{' '}
          {orderId === null ? (
            WORDS[state]
          ) : (
            <Link to="/orders/$id" params={{ id: orderId }}>
              Order placed
            </Link>
          )}
        </span>
        {orderId === null ? (
          <span className="note block">
            <Prose text={sentence} />
          </span>
        ) : null}
      </td>
    </tr>
  );
}
