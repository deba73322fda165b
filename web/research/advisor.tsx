import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AdvisorVariant } from '#core/research/advice.ts';
import { askAdvisor } from '#api/contract/advisor.ts';
import { readAiProvider } from '#api/contract/ai-provider.ts';
import { call } from '#web/data/call.ts';
import type { Profile } from '#web/data/queries.ts';
import { advisorQuery } from '#web/data/research.ts';
import { useDemo } from '#web/data/session.tsx';
import { slotLabel, VARIANTS } from './advice.ts';
import { AdvisorAnswer } from './advisor-answer.tsx';
import { ManualAdvisor } from './advisor-manual.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';

interface AdvisorProps {
  profile: Profile;
  runId: string;
  /** Settings that the backtest ran with. */
  config: unknown;
}

/** Proposals of a language model for a finished backtest. A live demo shows saved answers only. */
export function Advisor({ profile, runId, config }: AdvisorProps): ReactNode {
  const demo = useDemo();
  const { data, error } = useQuery(advisorQuery(profile.id, runId));
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const slots = data?.slots ?? [];
  const shown = slots.find(({ slot }) => slot === chosen) ?? slots[0];
  return (
    <Section title="Advisor" note="a language model proposes other settings; it changes nothing">
      {error === null ? null : <Failure what="Could not load the answers." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={3} /> : null}
      {demo ? null : <Ask profile={profile} runId={runId} onAsked={setChosen} />}
      {demo ? null : <ManualAdvisor profileId={profile.id} runId={runId} onKept={() => setChosen('manual')} />}
      {slots.length < 2 ? null : (
        <div className="p-2">
          <span className="seg" role="group" aria-label="Saved answers">
            {slots.map(({ slot }) => (
              <button key={slot} type="button" aria-pressed={slot === shown?.slot} onClick={() => setChosen(slot)}>
                {slotLabel(slot)}
              </button>
            ))}
          </span>
        </div>
      )}
      {data?.slots.length === 0 ? (
        <p className="p-2">{demo ? 'No answers for this backtest.' : 'No answers yet.'}</p>
      ) : null}
      {shown === undefined ? null : <AdvisorAnswer profile={profile} slot={shown} config={config} />}
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
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: ['ai-provider'], queryFn: ({ signal }) => call(readAiProvider, {}, signal) });
  const ask = useMutation({
    mutationFn: (variant: AdvisorVariant) => call(askAdvisor, { params: { id, runId, variant } }),
    onSuccess: async ({ slot }) => {
      onAsked(slot);
      await client.invalidateQueries({ queryKey: advisorQuery(id, runId).queryKey });
    },
  });
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
          <button key={value} type="button" className="btn" disabled={ask.isPending} onClick={() => ask.mutate(value)}>
            {words}
          </button>
        ))}
      </div>
      {ask.isError ? <Failure what="Not sent." error={ask.error} /> : null}
    </>
  );
}
