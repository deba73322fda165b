import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Blocker, knownBlockers } from '#web/data/blockers.ts';
import { useConnection } from '#web/data/live.tsx';
import type { Dashboard } from '#web/data/answers.ts';
import { useNow } from '#web/data/session.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Section } from '#web/ui/section.tsx';
import { age } from '#web/ui/time.ts';
import { BlockerSentence } from '#web/coin/blocker-sentence.tsx';
import { noneText } from './none-text.ts';

/** Rows shown at once; more are counted. */
const SHOWN = 6;

/** All that keeps the running profiles from buying, the most important first, with the time of the check. */
export function BlockerList({ blockers }: { blockers: Dashboard['blockers'] }): ReactNode {
  const { stream, priceAgeMs } = useConnection();
  const nowMs = useNow();
  const list = knownBlockers(blockers, priceAgeMs);
  const checkedMs = Date.parse(blockers.checkedAt);
  if (stream === 'lost') return <NotKnown list={list} agoMs={nowMs - checkedMs} />;
  const [front, hidden] = [list.filter(({ behind }) => !behind), list.filter(({ behind }) => behind)];
  return (
    <Section title="Blockers" note={`checked ${age(nowMs - checkedMs)} ago`}>
      {front.length > 0 ? <Rows list={front} /> : <p className="p-2">{noneText(blockers)}</p>}
      {hidden.length === 0 ? null : (
        <details className="px-2 pt-2">
          <summary className="note">Behind it, still true: {hidden.length}</summary>
          <Rows list={hidden} />
        </details>
      )}
    </Section>
  );
}

function NotKnown({ list, agoMs }: { list: readonly Blocker[]; agoMs: number }): ReactNode {
  return (
    <Section title="Blockers">
      <ul className="block">
        <li>
          <Icon name="off" />
          <span>
            <b>Not known.</b> Blockers cannot be read without live updates.
            <span className="note block">
              {list.length === 0 ? `None ${age(agoMs)} ago.` : `${age(agoMs)} ago:`}
              {list.slice(0, SHOWN).map((one) => (
                <span key={`${one.kind} ${one.name} ${one.sentence}`} className="block">
                  {one.name} <BlockerSentence blocker={one} />
                </span>
              ))}
            </span>
          </span>
        </li>
      </ul>
    </Section>
  );
}

function Rows({ list }: { list: readonly Blocker[] }): ReactNode {
  return (
    <>
      <ul className="block">
        {list.slice(0, SHOWN).map((one) => (
          <li key={`${one.kind} ${one.profileId ?? one.accountId} ${one.symbol} ${one.sentence}`}>
            <span className="care">
              <Icon name={one.kind === 'buying-stopped' ? 'oct' : one.kind === 'profile-paused' ? 'minus' : 'warn'} />
            </span>
            <span>
              <Subject blocker={one} /> <BlockerSentence blocker={one} />
              <Remedy blocker={one} />
            </span>
          </li>
        ))}
      </ul>
      {list.length > SHOWN ? <p className="p-2 two">and {list.length - SHOWN} more</p> : null}
    </>
  );
}

function Subject({ blocker: { scope, profileId, symbol, name } }: { blocker: Blocker }): ReactNode {
  if (name === null) return null;
  if (profileId === null || scope === 'account') return <b>{name}</b>;
  if (symbol === null) {
    return (
      <Link to="/profiles/$id" params={{ id: profileId }}>
        <b>{name}</b>
      </Link>
    );
  }
  return (
    <Link to="/profiles/$id/coins/$symbol" params={{ id: profileId, symbol }}>
      <b>{name}</b>
    </Link>
  );
}

/** The page where the blocker can be looked at or removed. */
function Remedy({ blocker: { kind, scope, profileId, symbol, orderId } }: { blocker: Blocker }): ReactNode {
  const link = (): ReactNode => {
    if (orderId !== null) {
      return (
        <Link to="/orders/$id" params={{ id: orderId }}>
          Order
        </Link>
      );
    }
    if (kind === 'buying-stopped' && scope === 'all') return <a href="#stopped">Allow buying…</a>;
    if (kind === 'orphan') return <Link to="/orphans">Orphan orders</Link>;
    if (kind === 'api-key' || kind === 'worker-down') return <Link to="/settings">Settings</Link>;
    if (profileId === null) return null;
    if (kind === 'limit') {
      return (
        <Link to="/profiles/$id/risk" params={{ id: profileId }}>
          Limits
        </Link>
      );
    }
    if (kind !== 'rating' && kind !== 'cool-down' && kind !== 'size') return null;
    return (
      <Link to="/profiles/$id/diagnosis" params={{ id: profileId }} search={symbol === null ? {} : { coin: symbol }}>
        Why is it not trading?
      </Link>
    );
  };
  const shown = link();
  return shown === null ? null : <span className="note block">{shown}</span>;
}
