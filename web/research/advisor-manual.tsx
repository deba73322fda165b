import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { AdvisorVariant } from '#core/research/advice.ts';
import type { ProfileId } from '#core/ids.ts';
import { keepAdvisorReply, readAdvisorPrompt } from '#api/contract/advisor.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import { useAct, useRead, useRun } from '#web/data/read.ts';
import { Choice } from '#web/ui/field.tsx';
import { VARIANTS } from './advice.ts';
import { Failure, Notice } from '#web/ui/notice.tsx';

interface ManualProps {
  profileId: ProfileId;
  runId: string;
  onKept: () => void;
}

/** Copies the prompt and takes the reply of any chatbot; needs no API key. */
export function ManualAdvisor(props: ManualProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className="px-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Copy prompt for any chatbot</summary>
      {open ? (
        <div className="cols">
          <Question {...props} />
          <Reply {...props} />
        </div>
      ) : null}
    </details>
  );
}

function Question({ profileId, runId }: ManualProps): ReactNode {
  const id = useId();
  const [variant, setVariant] = useState<AdvisorVariant>('safe');
  const { data, error, refetch } = useRead(readAdvisorPrompt, {
    params: { id: profileId, runId },
    query: { variant },
  });
  const copy = useRun(() => navigator.clipboard.writeText(data?.prompt ?? ''));
  return (
    <div className="c6">
      <Choice
        label="1. Goal"
        value={variant}
        options={VARIANTS}
        onChange={(value) => setVariant(VARIANTS.find((variant) => variant.value === value)?.value ?? 'safe')}
      />
      <div className="field stack">
        <label htmlFor={id}>2. Copy this prompt into the chat</label>
        <span className="note">It contains only the settings and the results of this backtest.</span>
        <textarea id={id} className="area" readOnly rows={8} value={data?.prompt ?? ''} />
      </div>
      <Failure what="Could not load the prompt." error={error} retry={refetch} />
      <div className="actions">
        <button type="button" className="btn" disabled={data === undefined} onClick={() => copy.mutate()}>
          Copy prompt
        </button>
        {copy.isSuccess ? <span role="status">Copied.</span> : null}
        {copy.isError ? <span role="status">The browser blocked it: select the text and copy it.</span> : null}
      </div>
    </div>
  );
}

function Reply({ profileId, runId, onKept }: ManualProps): ReactNode {
  const id = useId();
  const [reply, setReply] = useState('');
  const keep = useAct(keepAdvisorReply, {
    onSuccess: () => {
      setReply('');
      onKept();
    },
  });
  const refused = keep.error instanceof ProblemError ? keep.error.field('reply') : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    keep.mutate({ params: { id: profileId, runId }, body: { reply } });
  };
  return (
    <form className="c6" onSubmit={submit}>
      <div className="field stack">
        <label htmlFor={id}>3. Paste the whole reply</label>
        <span className="note">Extra text is ignored. Unusable proposals are listed with the reason.</span>
        <textarea
          id={id}
          className="area"
          rows={8}
          required
          aria-invalid={refused !== undefined}
          value={reply}
          onChange={(event) => setReply(event.target.value)}
        />
        {refused === undefined ? null : <Notice tone="loss">The reply {refused}</Notice>}
      </div>
      {refused === undefined ? <Failure what="Not read." error={keep.error} /> : null}
      <div className="actions">
        <button type="submit" className="btn" disabled={keep.isPending || reply.trim() === ''}>
          Read the reply
        </button>
        {reply.trim() === '' ? <span className="note">Paste it first.</span> : null}
      </div>
    </form>
  );
}
