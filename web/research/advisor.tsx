import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { askAdvisor, readAdvisor } from '#api/contract/advisor.ts';
import { readAiProvider } from '#api/contract/ai-provider.ts';
import type { Profile } from '#web/data/answers.ts';
import { paceOf } from '#web/data/research.ts';
import { useDemo } from '#web/data/session.tsx';
import { useAct, useRead } from '#web/data/read.ts';
import { slotLabel, VARIANTS } from './advice.ts';
import { AdvisorAnswer } from './advisor-answer.tsx';
import { ManualAdvisor } from './advisor-manual.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Read } from '#web/ui/read.tsx';

interface AdvisorProps {
  profile: Profile;
  runId: string;
  /** Settings that the backtest ran with. */
  config: unknown;
}

/** Proposals of a language model for a finished backtest. A live demo shows saved answers only. */
export function Advisor({ profile, runId, config }: AdvisorProps): ReactNode {
  const demo = useDemo();
  const answers = useRead(readAdvisor, { params: { id: profile.id, runId } }, { every: (data) => paceOf(data?.slots) });
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const slots = answers.data?.slots ?? [];
  const shown = slots.find(({ slot }) => slot === chosen) ?? slots[0];
  return (
    <Section title="Advisor" note="a language model proposes other settings; it changes nothing">
      {demo ? null : <Ask profile={profile} runId={runId} onAsked={setChosen} />}
      {demo ? null : <ManualAdvisor profileId={profile.id} runId={runId} onKept={() => setChosen('manual')} />}
      <Read of={answers} what="the answers" rows={1}>
        {() => (
          <>
            {slots.length < 2 ? null : (
              <div className="p-2">
                <span className="seg" role="group" aria-label="Saved answers">
                  {slots.map(({ slot }) => (
                    <button
                      key={slot}
                      type="button"
                      aria-pressed={slot === shown?.slot}
                      onClick={() => setChosen(slot)}
                    >
                      {slotLabel(slot)}
                    </button>
                  ))}
                </span>
              </div>
            )}
            {shown === undefined ? (
              <p className="p-2">{demo ? 'No answers for this backtest.' : 'No answers yet.'}</p>
            ) : (
              <AdvisorAnswer profile={profile} slot={shown} config={config} />
            )}
          </>
        )}
      </Read>
    </Section>
  );
}

interface AskProps {
  profile: Profile;
  runId: string;
  onAsked: (slot: string) => void;
}

/** Sends the prompt to the AI provider, where one is set up. */
function Ask({ profile: { id }, runId, onAsked }: AskProps): ReactNode {
  const { data } = useRead(readAiProvider, {});
  const ask = useAct(askAdvisor, { onSuccess: ({ slot }) => onAsked(slot) });
  if (data === undefined) return null;
  if (data.aiProvider === null) {
    return (
      <p className="two p-2">
        No AI provider is set up. Do that under <Link to="/settings">Settings</Link>, or copy the prompt into any
        chatbot, which needs no key.
      </p>
    );
  }
  return (
    <>
      <p className="two px-2">
        Send the settings and the results of this backtest to {data.aiProvider.model}. This may cost money. No key,
        balance or order is sent.
      </p>
      <div className="actions">
        {VARIANTS.map(({ value, words }) => (
          <button
            key={value}
            type="button"
            className="btn"
            disabled={ask.isPending}
            onClick={() => ask.mutate({ params: { id, runId, variant: value } })}
          >
            {words}
          </button>
        ))}
      </div>
      <Failure what="Not sent." error={ask.error} />
    </>
  );
}
