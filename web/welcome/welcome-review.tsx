import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { valueAt } from '#core/config-path.ts';
import { withEqualShares } from '#strategies/presets.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import { tagOf } from '#web/ui/accounts.ts';
import { Field } from '#web/ui/field.tsx';
import { AccountTag } from '#web/ui/figures.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { count, numberText } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import { useRun } from '#web/data/read.ts';
import { type DraftState, presetOf, type StrategyView } from './draft.ts';
import { SETTING_FIELDS, shownOf } from './setting-fields.ts';
import type { Account } from '#web/data/answers.ts';

interface StepProps {
  account: Account;
  state: DraftState;
  config: Readonly<Record<string, unknown>>;
  strategies: readonly StrategyView[];
  coins: readonly string[];
  perCoin: number | null;
  unit: string;
  /** The account has no other profile. */
  first: boolean;
  onBack: () => void;
}

/** Step 4: everything that was chosen, and the start. */
export function ReviewStep(props: StepProps): ReactNode {
  const { account, state, config, strategies, coins, perCoin, unit, first, onBack } = props;
  const { strategy, name } = state.draft;
  const view = strategies.find((one) => one.name === strategy);
  const title = view?.title ?? strategy;
  const shownName = name ?? (first ? 'First profile' : title);
  const start = useStart({ account, state, config, coins, name: shownName });
  const paper = tagOf(account) === 'PAPER';
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {title} on {count(coins.length, 'coin')}
          {perCoin === null ? '' : `, up to ${numberText(perCoin * coins.length, 2)} ${unit}`}.
        </h1>
        <p className="two">It decides for the first time within seconds of the start. Every decision has its reason.</p>
      </div>
      <div className="cols">
        <Section title="Profile" span={6}>
          <Field
            label="Name"
            note="A profile is one strategy with its coins on one account."
            input={{ value: shownName, onChange: (event) => state.change({ name: event.target.value }) }}
          />
          <dl className="dl pt-2">
            <dt>Account</dt>
            <dd>
              {account.name} <AccountTag tag={tagOf(account)} />
            </dd>
            <dt>Strategy</dt>
            <dd>{title}</dd>
            <dt>Coins</dt>
            <dd>{coins.join(', ')}</dd>
          </dl>
          {paper ? null : (
            <Notice tone="care" title="This account trades on an exchange.">
              Its orders are real as soon as the profile starts.
            </Notice>
          )}
          <Failure what="Not started." error={start.error} />
        </Section>
        <Section title="Settings" note={presetOf(strategy, config) ?? 'your own settings'} span={6}>
          <dl className="dl">
            {(SETTING_FIELDS[strategy] ?? [])
              .filter(({ isFor }) => isFor?.(config) ?? true)
              .map((field) => {
                const shown = shownOf(field, valueAt(config, field.path) ?? valueAt(view?.defaults, field.path));
                const words = field.options?.find(({ value }) => value === shown)?.words ?? shown;
                return <Setting key={field.path} label={field.label} text={textOf(field.kind, words, unit)} />;
              })}
          </dl>
        </Section>
      </div>
      <div className="actions">
        <button type="button" className="btn" onClick={onBack}>
          Back
        </button>
        <button
          type="button"
          className="btn go"
          disabled={start.isPending || shownName.trim() === ''}
          onClick={() => start.mutate()}
        >
          {paper ? 'Start trading on paper' : `Start trading on ${account.name}`}
        </button>
        <span className="note">Stop buying at any time with the button at the top.</span>
      </div>
    </>
  );
}

const Setting = ({ label, text }: { label: string; text: string }): ReactNode => (
  <>
    <dt>{label}</dt>
    <dd className="num">{text}</dd>
  </>
);

function textOf(kind: string, shown: string, unit: string): string {
  if (shown === '') return 'none';
  if (kind === 'amount') return `${shown} ${unit}`;
  return kind === 'count' || kind === 'choice' ? shown : `${shown} %`;
}

type StartInput = Pick<StepProps, 'account' | 'state' | 'config' | 'coins'> & { name: string };

function useStart({ account, state, config, coins, name }: StartInput) {
  const navigate = useNavigate();
  const { strategy } = state.draft;
  return useRun(async () => {
    const whole = withEqualShares(strategy, config, coins);
    const body = { accountId: account.id, name, strategyName: strategy, config: { ...whole }, enabled: true };
    await call(createProfile, { body: { ...body, symbols: [...coins] } });
    state.clear();
    await navigate({ to: '/' });
  });
}
