import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { GATE_FORM } from '#api/contract/forms.ts';
import type { Answer } from '#api/contract/operation.ts';
import { changeLiveGate, readLiveGate } from '#api/contract/live-checks.ts';
import type { Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { sendForm } from '#web/data/call.ts';
import { ConfigForm, plainScope } from '#web/config/config-form.tsx';
import { barLabel, barValue } from './gate.ts';
import { resultName } from '#web/ui/sharing.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

type Gate = Answer<typeof readLiveGate>;

/** Compares the newest backtest of exactly the present settings with each threshold. */
export function LiveGate({ profile: { id } }: { profile: Profile }): ReactNode {
  const params = { id };
  const gate = useRead(readLiveGate, { params });
  return (
    <Section title="Go-live checklist" note="a backtest of exactly these settings against your thresholds">
      <Read of={gate} what="the checklist" rows={6}>
        {(data) => (
          <>
            {data.clear ? (
              <p className="p-2">
                <Icon name="ok" /> <Prose text={data.sentence} />
              </p>
            ) : (
              <Notice tone="care" title="Not met.">
                <Prose text={data.sentence} />
              </Notice>
            )}
            {data.coins.map((coin) => (
              <OneCoin key={coin.symbol} id={id} coin={coin} />
            ))}
            <details className="px-2">
              <summary>Change thresholds</summary>
              <ConfigForm
                scope={plainScope({
                  schema: GATE_FORM,
                  values: data.bars,
                  save: (changed) => sendForm(changeLiveGate, params, changed),
                })}
                action="Save thresholds"
                used="Empty: not checked."
              />
            </details>
          </>
        )}
      </Read>
    </Section>
  );
}

function OneCoin({ id, coin }: { id: Profile['id']; coin: Gate['coins'][number] }): ReactNode {
  const { symbol, verdict, sentence, runId, finishedAt, checks } = coin;
  return (
    <div className="py-2">
      <h3 className="px-2">
        <Icon name={verdict === 'clear' ? 'ok' : 'warn'} /> {resultName(symbol)}
      </h3>
      <p className="two px-2">
        <Prose text={sentence} />{' '}
        {runId === null ? (
          <Link to="/profiles/$id/backtests" params={{ id }}>
            Run one
          </Link>
        ) : (
          <Link to="/profiles/$id/backtests/$runId" params={{ id, runId }}>
            The backtest{finishedAt === null ? '' : ' of '}
            {finishedAt === null ? null : <When at={finishedAt} />}
          </Link>
        )}
      </p>
      {checks.length === 0 ? null : (
        <dl className="dl">
          {checks.map(({ bar, kind, wanted, value, passed }) => (
            <div key={bar} className="contents">
              <dt>
                <span className={passed ? '' : 'care'}>
                  <Icon name={passed ? 'ok' : 'x'} />
                  <span className="vh">{passed ? 'Passed: ' : 'Missed: '}</span>
                </span>{' '}
                {barLabel(bar)}
              </dt>
              <dd>
                {barValue(bar, value)}{' '}
                <span className="note">
                  {kind === 'least' ? 'at least' : 'at most'} {barValue(bar, wanted)}
                </span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
