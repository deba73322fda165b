import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { LIMITS_FORM } from '#api/contract/forms.ts';
import { type Decimal, formatDecimal, readDecimal } from '#core/amount/decimal.ts';
import type { Answer } from '#api/contract/operation.ts';
import { changeAccountRisk, changeProfileRisk, readAccountRisk, readProfileRisk } from '#api/contract/risk.ts';
import {
  readAccountKillSwitch,
  readProfileKillSwitch,
  setAccountKillSwitch,
  setProfileKillSwitch,
} from '#api/contract/halts.ts';
import { readDashboard } from '#api/contract/records.ts';
import { listCoins } from '#api/contract/profiles.ts';
import type { Profile } from '#web/data/answers.ts';
import { sendForm } from '#web/data/call.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { Switch } from '#web/ui/field.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { Meter, NEAR } from '#web/ui/meter.tsx';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose } from '#web/ui/when.tsx';
import { LIMIT_PRESETS, NO_LIMIT, presetLimits } from './limit-presets.ts';
import { ConfigForm, plainScope } from './config-form.tsx';
import { money } from '#web/ui/numbers.ts';

type Risk = Answer<typeof readProfileRisk>;
type Scope = 'profile' | 'account';

const POLL_MS = 15_000;

/** Limits, their use, and the kill switch of a profile or of its whole account. */
export function LimitsPanel({ profile }: { profile: Profile }): ReactNode {
  const [scope, setScope] = useState<Scope>('profile');
  return (
    <Section title="Limits" note="they stop buys, never exits">
      <div className="actions">
        <span className="seg" role="group" aria-label="Limits of">
          {(['profile', 'account'] as const).map((option) => (
            <button key={option} type="button" aria-pressed={scope === option} onClick={() => setScope(option)}>
              {option === 'profile' ? 'This profile' : 'Account'}
            </button>
          ))}
        </span>
        {scope === 'profile' ? <ProfileSwitch id={profile.id} /> : <AccountSwitch id={profile.accountId} />}
      </div>
      {scope === 'profile' ? <ProfileLimits profile={profile} /> : <AccountLimits profile={profile} />}
    </Section>
  );
}

function ProfileLimits({ profile }: { profile: Profile }): ReactNode {
  const params = { id: profile.id };
  const limits = useRead(readProfileRisk, { params }, { every: POLL_MS });
  const save = (changed: unknown) => sendForm(changeProfileRisk, params, changed);
  return <Limits profile={profile} scope="profile" limits={limits} save={save} />;
}

function AccountLimits({ profile }: { profile: Profile }): ReactNode {
  const params = { id: profile.accountId };
  const limits = useRead(readAccountRisk, { params }, { every: POLL_MS });
  const save = (changed: unknown) => sendForm(changeAccountRisk, params, changed);
  return <Limits profile={profile} scope="account" limits={limits} save={save} />;
}

interface LimitsProps {
  profile: Profile;
  scope: Scope;
  limits: UseQueryResult<Risk>;
  save: (changed: unknown) => Promise<unknown>;
}

function Limits({ profile, scope, limits, save }: LimitsProps): ReactNode {
  const { quote, equity } = useMoney(profile);
  // The serial number starts the form again, also when the same preset is chosen twice.
  const [preset, setPreset] = useState<{ readonly serial: number; readonly limits: object }>();
  return (
    <Read of={limits} what="the limits" rows={8} height={64}>
      {({ limits: values, standings }) => {
        const asset = values.asset ?? quote;
        return (
          <>
            <Presets
              equity={asset === quote ? equity : undefined}
              asset={asset}
              onChoose={(limits) => setPreset({ serial: (preset?.serial ?? 0) + 1, limits })}
            />
            <ConfigForm
              key={preset?.serial ?? 0}
              first={preset === undefined ? undefined : { ...values, ...preset.limits }}
              scope={plainScope({
                ...{ schema: LIMITS_FORM, values, quote: asset },
                // Amounts are counted in the asset that the profile trades with.
                save: (changed) => save({ ...changed, ...(asset === undefined ? {} : { asset }) }),
              })}
              action={`Save limits of ${scope === 'profile' ? 'this profile' : 'the account'}`}
              used="Used from the next buy on."
              extraOf={(path) => <Use standings={standings.filter(({ limit }) => limit === path)} />}
            />
          </>
        );
      }}
    </Read>
  );
}

interface PresetsProps {
  /** Of the account; undefined before the first wallet snapshot. */
  equity: Decimal | undefined;
  asset: string | undefined;
  onChoose: (limits: object) => void;
}

/** Limits as shares of the equity. A choice fills the form and saves nothing. */
function Presets({ equity, asset = '', onChoose }: PresetsProps): ReactNode {
  return (
    <div className="actions" role="group" aria-label="Presets">
      <button type="button" className="btn small" onClick={() => onChoose(NO_LIMIT)}>
        None
      </button>
      {LIMIT_PRESETS.map((preset) => (
        <button
          key={preset.title}
          type="button"
          className="btn small"
          disabled={equity === undefined}
          onClick={() => (equity === undefined ? undefined : onChoose(presetLimits(preset, equity)))}
        >
          {preset.title}
        </button>
      ))}
      <span className="note">
        {equity === undefined
          ? 'The equity of the account is not known yet.'
          : `Shares of the equity of the account, ${money(formatDecimal(equity), asset)} ${asset}. Save to use them.`}
      </span>
    </div>
  );
}

/** The quote asset of the coins of a profile, else of its account, and the equity of the account in it. */
function useMoney({ id, accountId }: Profile): { quote: string | undefined; equity: Decimal | undefined } {
  const { data: held } = useRead(listCoins, { params: { id } });
  const { data: dashboard } = useRead(readDashboard, {});
  const account = dashboard?.accounts.find((one) => one.id === accountId);
  const [ofCoins] = held?.coins.flatMap(({ quoteAsset }) => quoteAsset ?? []) ?? [];
  const quote = ofCoins ?? account?.quoteAsset ?? undefined;
  const isKnown = account?.equity != null && account.quoteAsset === quote;
  return { quote, equity: isKnown ? readDecimal(account.equity ?? '') : undefined };
}

type Standing = Risk['standings'][number];
const shareOf = ({ used, most }: Standing): number => Number.parseFloat(String(used)) / Number.parseFloat(String(most));
export const isNear = (standing: Standing): boolean => standing.blocked || shareOf(standing) >= NEAR;

/** How much of a limit is used, of the profile and of its account. */
function Use({ standings }: { standings: readonly Standing[] }): ReactNode {
  return standings.map((standing) => {
    const { scope, used, most, sentence } = standing;
    return (
      <span key={scope} className={isNear(standing) ? 'care block' : 'two block'}>
        {scope === 'account' ? 'Account: ' : ''}
        {amountText(used)} of {amountText(most)} used. {sentence === null ? null : <Prose text={sentence} />}
        <Meter label={`Used by the ${scope}`} share={shareOf(standing)} care={isNear(standing)} />
      </span>
    );
  });
}

/** A count, or an amount with its asset such as `9.43059008 USDT`. */
export function amountText(value: string | number): string {
  const [amount = '', asset] = String(value).split(' ');
  return asset === undefined ? amount : `${money(amount, asset)} ${asset}`;
}

function ProfileSwitch({ id }: { id: Profile['id'] }): ReactNode {
  const params = { id };
  const { data } = useRead(readProfileKillSwitch, { params });
  const change = useAct(setProfileKillSwitch);
  const set = (engaged: boolean): void => change.mutate({ params, body: { engaged } });
  return <StopSwitch words="this profile" state={data} change={change} onChange={set} />;
}

function AccountSwitch({ id }: { id: Profile['accountId'] }): ReactNode {
  const params = { id };
  const { data } = useRead(readAccountKillSwitch, { params });
  const change = useAct(setAccountKillSwitch);
  const set = (engaged: boolean): void => change.mutate({ params, body: { engaged } });
  return <StopSwitch words="the account" state={data} change={change} onChange={set} />;
}

interface SwitchProps {
  words: string;
  state: { readonly engaged: boolean } | undefined;
  change: { readonly isPending: boolean; readonly error: Error | null };
  onChange: (engaged: boolean) => void;
}

function StopSwitch({ words, state, change, onChange }: SwitchProps): ReactNode {
  return (
    <>
      <Switch
        label={`Buying stopped for ${words}`}
        on={state?.engaged ?? false}
        disabled={state === undefined || change.isPending}
        onChange={onChange}
      />
      <Failure what="Not changed." error={change.error} />
    </>
  );
}
