import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Suggestion } from '#core/research/advice.ts';
import type { readAdvisor } from '#api/contract/advisor.ts';
import type { Answer } from '#api/contract/operation.ts';
import type { Profile } from '#web/data/answers.ts';
import { type Labels, useLabels } from '#web/config/setting-labels.ts';
import { riskLabel, slotLabel } from './advice.ts';
import { count } from '#web/ui/numbers.ts';
import { editOf } from '#web/ui/research.ts';
import { OpenInSettings } from './open-in-settings.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { When } from '#web/ui/when.tsx';

interface AnswerProps {
  profile: Profile;
  slot: Answer<typeof readAdvisor>['slots'][number];
  config: unknown;
}

/** One saved answer: its proposals, and the dropped ones with the reason. */
export function AdvisorAnswer({ profile, slot, config }: AnswerProps): ReactNode {
  const labels = useLabels(profile.strategyName, config);
  if (slot.state === 'running') {
    return (
      <p role="status" className="p-2">
        {slotLabel(slot.slot)}: sent <When at={slot.askedAt} />, waiting for the answer. It continues when you leave
        this page.
      </p>
    );
  }
  if (slot.state === 'failed') {
    return (
      <Notice tone="care" title={`${slotLabel(slot.slot)} failed.`}>
        {slot.error} It is not retried automatically because it may cost money.
      </Notice>
    );
  }
  return (
    <div className="px-2">
      <p className="note pt-2">
        {slot.model ?? slotLabel(slot.slot)}, <When at={slot.finishedAt ?? slot.askedAt} />
      </p>
      {slot.summary === '' ? null : <p className="py-2">{slot.summary}</p>}
      {slot.suggestions.length === 0 ? <p className="py-2">No usable proposals.</p> : null}
      <ol className="ideas">
        {slot.suggestions.map((suggestion) => (
          <Idea key={suggestion.id} profile={profile} suggestion={suggestion} labels={labels} />
        ))}
      </ol>
      {slot.dropped.length === 0 ? null : (
        <details open>
          <summary>{count(slot.dropped.length, 'proposal')} dropped</summary>
          <ul className="two list-disc pl-5">
            {slot.dropped.map(({ title, reason }) => (
              <li key={`${title} ${reason}`}>
                <b>{title}</b>: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
      <p className="note py-2">
        A good result on the same candles is no proof. Backtest a proposal on other days before you save it.
      </p>
    </div>
  );
}

interface IdeaProps {
  profile: Profile;
  suggestion: Suggestion;
  labels: Labels;
}

function Idea({ profile, suggestion, labels: { labelOf, wordsOf } }: IdeaProps): ReactNode {
  const { title, rationale, changes, expectedEffect, overfitRisk } = suggestion;
  const edits = changes.map(({ path, to }) => ({ path, value: to }));
  return (
    <li>
      <h3>{title}</h3>
      <p className="two">{rationale}</p>
      <dl className="dl">
        {changes.map(({ path, from, to }) => (
          <div key={path} className="contents">
            <dt>{labelOf(path)}</dt>
            <dd>
              <span className="two">{wordsOf(path, from)}</span> → <b>{wordsOf(path, to)}</b>
            </dd>
          </div>
        ))}
        {expectedEffect === '' ? null : (
          <>
            <dt>Expected</dt>
            <dd>{expectedEffect}</dd>
          </>
        )}
        <dt>Overfit risk</dt>
        <dd className={overfitRisk === 'high' ? 'care' : ''}>{riskLabel(overfitRisk)}</dd>
      </dl>
      <div className="actions">
        <OpenInSettings profile={profile} changes={edits} label={`Open in settings: ${title}`} />
        <Link
          className="btn"
          aria-label={`Run as backtest: ${title}`}
          to="/profiles/$id/backtests"
          params={{ id: profile.id }}
          search={{ try: editOf(edits) }}
        >
          Run as backtest
        </Link>
      </div>
    </li>
  );
}
