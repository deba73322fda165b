import type { ReactNode } from 'react';
import type { TickAudit } from '#core/decision/audit.ts';
import type { ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import { readTickTrace } from '#api/contract/records.ts';
import { useRead } from '#web/data/read.ts';
import { Context } from '#web/ui/feed.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

const isAudit = (entry: unknown): entry is TickAudit =>
  isObject(entry) && isObject(entry['decision']) && isObject(entry['approval']);

const TRIGGERS: Readonly<Record<string, string>> = {
  price: 'price',
  candle: 'closed candle',
  order: 'own order',
  operator: 'you',
  external: 'signal',
  timer: 'timer',
  start: 'start',
};
const POLL_MS = 5_000;
const MARKS = { buy: 'up', sell: 'dno', cancel: 'x', nothing: 'minus' } as const;
const markOf = (kind: string): 'up' | 'dno' | 'x' | 'minus' =>
  MARKS[kind === 'buy' || kind === 'sell' || kind === 'cancel' ? kind : 'nothing'];

/** The newest recorded ticks. */
export function CoinTicks({ profileId, symbol }: { profileId: ProfileId; symbol: string }): ReactNode {
  const ticks = useRead(readTickTrace, { params: { id: profileId }, query: { symbol, limit: 8 } }, { every: POLL_MS });
  return (
    <Section title="Recent ticks" note="updated every 5 s" span={5}>
      <Read of={ticks} what="the ticks" rows={6}>
        {({ entries }) => <Ticks entries={entries.filter(isAudit)} />}
      </Read>
    </Section>
  );
}

function Ticks({ entries }: { entries: readonly TickAudit[] }): ReactNode {
  if (entries.length === 0) return <p className="p-2">No ticks recorded.</p>;
  return (
    <ul className="feed">
      {entries.map((tick) => {
        const { id, at, trigger, decision, approval, latencyMicros } = tick;
        return (
          <li key={id}>
            <When at={at} />
            <Icon name={markOf(decision.kind)} />
            <div>
              <Prose text={decision.sentence} />
              <span className="note block">
                by {TRIGGERS[trigger] ?? trigger}, decided in{' '}
                {latencyMicros < 100 ? 'under 0.1' : (latencyMicros / 1000).toFixed(1)} ms
                {approval.kind === 'refused'
                  ? `, rejected: ${approval.reason}`
                  : approval.kind === 'approved'
                    ? ', approved'
                    : ''}
              </span>
              <Context ctx={tick} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}
