import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import { deleteAccountNotifier, saveAccountNotifier, testAccountNotifier } from '#api/contract/account-notifiers.ts';
import { useAct, useIsSaving } from '#web/data/read.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { wordsOf } from '#web/ui/names.ts';
import { Failure } from '#web/ui/notice.tsx';
import { TextForm } from '#web/ui/text-form.tsx';
import type { AccountNotifiers } from './account-notifiers.ts';
import { CHANNEL_STEPS, FIELD_LABELS, RARE_FIELDS } from './channel-help.ts';
import { ChannelState, ChannelSwitch } from './channel-state.tsx';
import { TestResult } from './test-result.tsx';

type Kind = AccountNotifiers['notifiers'][number];

interface KindProps {
  id: AccountId;
  kind: Kind;
}

interface ChannelProps extends KindProps {
  /** The last message to this channel. */
  last: AccountNotifiers['deliveries'][number] | undefined;
}

const labelOf = (name: string): string => FIELD_LABELS[name] ?? wordsOf(name);

/** Text with code between backticks. */
const Step = ({ text }: { text: string }): ReactNode =>
  text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>));

/** One kind of notifier: its state and switch; opened the steps that set it up, its fields and a test. */
export function Channel({ id, kind, last }: ChannelProps): ReactNode {
  const { title, configured } = kind;
  const isSaving = useIsSaving();
  const save = useAct(saveAccountNotifier);
  return (
    <div className="channel">
      <details>
        <summary>
          <b>{title}</b>
          <ChannelState enabled={configured?.enabled ?? null} last={last} />
        </summary>
        <Setup id={id} kind={kind} />
      </details>
      {configured === null ? null : (
        <ChannelSwitch
          title={title}
          on={configured.enabled}
          disabled={isSaving}
          onChange={(enabled) => {
            const { provider, settings, rules } = configured;
            save.mutate({ params: { id, provider }, body: { enabled, settings, rules } });
          }}
        />
      )}
      <Failure what="Not changed." error={save.error} />
    </div>
  );
}

function Setup({ id, kind }: KindProps): ReactNode {
  const { provider, title, configured } = kind;
  const params = { id, provider };
  const test = useAct(testAccountNotifier);
  const remove = useAct(deleteAccountNotifier);
  return (
    <div className="p-2">
      <ol className="steps-list">
        {CHANNEL_STEPS[provider].map((text) => (
          <li key={text}>
            <Step text={text} />
          </li>
        ))}
      </ol>
      <ChannelForm id={id} kind={kind} />
      <div className="actions">
        <button
          type="button"
          className="btn"
          disabled={configured === null || test.isPending}
          onClick={() => test.mutate({ params })}
        >
          Send test to {title}
        </button>
        {configured === null ? <span className="note">after saving</span> : null}
        {configured === null ? null : (
          <Confirm
            words={`Remove ${title}`}
            title={`Remove ${title}?`}
            action={`Remove ${title}`}
            failed="Not removed."
            run={() => remove.mutateAsync({ params })}
          >
            Its secrets are deleted and it receives no more messages.
          </Confirm>
        )}
      </div>
      <TestResult test={test} />
    </div>
  );
}

function ChannelForm({ id, kind }: KindProps): ReactNode {
  const { provider, title, configured, settingsSchema, secretNames } = kind;
  const save = useAct(saveAccountNotifier);
  const properties = Object.keys(isObject(settingsSchema['properties']) ? settingsSchema['properties'] : {});
  const settings = properties.map((name) => ({
    name,
    label: labelOf(name),
    ...(RARE_FIELDS.includes(name) ? { note: 'Empty: the public server.' } : {}),
    input: { required: false },
  }));
  const secrets = secretNames.map((name) => ({
    name,
    label: labelOf(name),
    note:
      configured?.secrets[name] === true ? 'Stored. Empty leaves it as it is.' : 'Kept unencrypted in the database.',
    input: { type: 'password', autoComplete: 'off', required: false },
  }));
  return (
    <TextForm
      first={{ ...configured?.settings }}
      fields={[...settings, ...secrets]}
      submit={async (values) => {
        const pick = (names: readonly string[]): Record<string, string> =>
          Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
        const rules = configured === null ? {} : { enabled: configured.enabled, rules: configured.rules };
        const body = { settings: pick(properties), secrets: pick(secretNames), ...rules };
        await save.mutateAsync({ params: { id, provider }, body });
      }}
      action={`Save ${title}`}
      failed="Not saved."
      done="Saved. Send a test to see that messages arrive."
    />
  );
}
