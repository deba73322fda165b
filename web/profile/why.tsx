import { type ReactNode, useState } from 'react';
import type { Answer } from '#api/contract/operation.ts';
import { readWhy } from '#api/contract/why.ts';
import type { Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { useTimes } from '#web/data/session.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { wordsOf } from '#web/ui/names.ts';
import { count, percent } from '#web/ui/numbers.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { runsOf } from './why-runs.ts';

type Why = Answer<typeof readWhy>;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SPANS = { '24 h': 1, '7 days': 7, '30 days': 30 } as const;
type Span = keyof typeof SPANS;
const NAMES: readonly Span[] = ['24 h', '7 days', '30 days'];

/** The words of a code such as `entry-above-level` or `coin.pause`. */
const plain = (code: string): string => wordsOf(code.replaceAll(/[-.]/g, ' '));

/** Reasons that kept a coin from being bought in the last days: by share of the time, the nearest miss, and changes. */
export function Why({ profile, symbol }: { profile: Profile; symbol: string }): ReactNode {
  const { nowMs } = useTimes();
  // The end stays until the next choice: a replay is minutes ahead within a second.
  const [{ span, endMs }, choose] = useState<{ span: Span; endMs: number }>({ span: '24 h', endMs: nowMs + MINUTE_MS });
  const from = new Date(endMs - SPANS[span] * DAY_MS).toISOString();
  const query = { symbol, from, to: new Date(endMs).toISOString() };
  const why = useRead(readWhy, { params: { id: profile.id }, query }, { keep: true });
  const covered = why.data?.covered.share;
  return (
    <Section
      title="Reasons over time"
      note={covered === undefined ? undefined : `decisions cover ${percent(covered)} of the time`}
    >
      <div className="tools">
        <span className="seg" role="group" aria-label="Span">
          {NAMES.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={span === name}
              onClick={() => choose({ span: name, endMs: nowMs + MINUTE_MS })}
            >
              {name}
            </button>
          ))}
        </span>
      </div>
      <Read of={why} what="the reasons">
        {(data) => (
          <>
            <Reasons why={data} />
            <Changes changes={data.changes} />
          </>
        )}
      </Read>
    </Section>
  );
}

function Reasons({ why: { reasons, nearest, timeline } }: { why: Why }): ReactNode {
  if (reasons.length === 0) return <p className="p-2">No decision in this time.</p>;
  return (
    <>
      {nearest === null ? null : (
        <p className="px-2 pb-2">
          <b>Nearest to a buy: {percent(nearest.awayPercent / 100, 2)} away</b>, <When at={nearest.at} />:{' '}
          <Prose text={nearest.sentence} />
        </p>
      )}
      <ul className="block">
        {reasons.map(({ code, by, share, decisions, lastAt, sentence }) => (
          <li key={`${by} ${code}`}>
            <Icon name="circ" />
            <div>
              <b>{percent(share)} of the time</b> <Prose text={sentence} />
              <span className="note block">
                {count(decisions, 'decision')}, last <When at={lastAt} />
                {by === 'engine' ? ', refused by the engine' : ''}
              </span>
            </div>
          </li>
        ))}
      </ul>
      <details className="px-2">
        <summary>Main reason by time</summary>
        <ul>
          {runsOf(timeline).map((run) => (
            <li key={run.from}>
              <When at={run.from} /> to <When at={run.to} />: {run.code === null ? 'no decision' : plain(run.code)}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function Changes({ changes }: Pick<Why, 'changes'>): ReactNode {
  if (changes.length === 0) return null;
  return (
    <details className="px-2" open>
      <summary>{count(changes.length, 'change')} of settings, limits and switches in this time</summary>
      <ul>
        {changes.map(({ rowId, at, action, actor }) => (
          <li key={rowId}>
            <When wall at={at} /> {plain(action)}
            {actor === null ? '' : ` by ${actor.name}`}
          </li>
        ))}
      </ul>
    </details>
  );
}
