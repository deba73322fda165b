import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { readDashboard } from '#api/contract/records.ts';
import { changeProfile, deleteProfile, listCoins, listStrategies } from '#api/contract/profiles.ts';
import { cloneProfile, exportProfile, switchStrategy } from '#api/contract/profile-configs.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { addressOf, call } from '#web/data/call.ts';
import type { Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { Choice, Switch } from '#web/ui/field.tsx';
import { TextForm } from '#web/ui/text-form.tsx';
import { WorkerAction } from '#web/coin/worker-action.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { ProfileFrame } from './profile-frame.tsx';
import { ProfileSwitch } from './profile-switch.tsx';
import { Section } from '#web/ui/section.tsx';
import { coinView } from '#web/coin/coin-view.ts';
import { count, quantity } from '#web/ui/numbers.ts';
import { isLive } from '#web/coin/order-labels.ts';

export function ManagePage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/manage' });
  return (
    <ProfileFrame id={id} part="Manage">
      {(profile) => (
        <>
          <div className="head">
            <h1 className="verdict">
              {profile.name} is {profile.enabled ? 'running' : 'paused'}.
            </h1>
            <div className="two">
              <ProfileSwitch profile={profile} />
            </div>
          </div>
          <div className="cols" key={`${profile.name} ${profile.strategyName}`}>
            <div className="c6">
              <Rename profile={profile} />
              <Strategy profile={profile} />
            </div>
            <div className="c6">
              <Duplicate profile={profile} />
              <Delete profile={profile} />
            </div>
          </div>
        </>
      )}
    </ProfileFrame>
  );
}

function Rename({ profile: { id, name } }: { profile: Profile }): ReactNode {
  return (
    <Section title="Name">
      <TextForm
        fields={[{ name: 'name', label: 'Name of the profile' }]}
        first={{ name }}
        submit={(values) => call(changeProfile, { params: { id }, body: { name: values['name'] ?? '' } })}
        action="Rename"
        failed="Not renamed."
        done="Renamed."
      />
    </Section>
  );
}

function Strategy({ profile }: { profile: Profile }): ReactNode {
  const { data } = useRead(listStrategies, {});
  const others = data?.strategies.filter(({ name, offered }) => offered && name !== profile.strategyName) ?? [];
  const [name, setName] = useState('');
  const chosen = others.find((strategy) => strategy.name === name) ?? others[0];
  const titleOf = (wanted: string): string =>
    data?.strategies.find((strategy) => strategy.name === wanted)?.title ?? wanted;
  return (
    <Section title="Strategy" note={`now ${titleOf(profile.strategyName)}`}>
      <Choice
        label="Strategy"
        note={chosen?.summary}
        value={chosen?.name ?? ''}
        options={others.map((strategy) => ({ value: strategy.name, words: strategy.title }))}
        onChange={setName}
      />
      <div className="actions">
        {chosen === undefined ? null : (
          <Confirm
            words={`Change to ${chosen.title}…`}
            title={`Change ${profile.name} to ${chosen.title}?`}
            action={`Change ${profile.name} to ${chosen.title}`}
            failed="Not changed."
            disabled={profile.enabled}
            run={() =>
              call(switchStrategy, { params: { id: profile.id }, body: { strategyName: chosen.name, config: {} } })
            }
          >
            <p>The profile starts with the default settings of the strategy. Settings of single coins are deleted.</p>
            <p>Positions stay. The new strategy manages them once the profile is running again.</p>
            <p>The present settings stay in the history. Restore them after changing back.</p>
          </Confirm>
        )}
        {profile.enabled ? <span className="why">Pause the profile first.</span> : null}
      </div>
    </Section>
  );
}

function Duplicate({ profile }: { profile: Profile }): ReactNode {
  const go = useNavigate();
  const { data } = useRead(listAccounts, {});
  const [accountId, setAccountId] = useState<AccountId>(profile.accountId);
  return (
    <Section title="Duplicate" note="starts paused">
      <TextForm
        fields={[{ name: 'name', label: 'Name of the copy' }]}
        first={{ name: `${profile.name}, copy`.slice(0, 60) }}
        submit={async ({ name = '' }) => {
          const made = await call(cloneProfile, { params: { id: profile.id }, body: { name, accountId } });
          await go({ to: '/profiles/$id', params: { id: made.profile.id } });
        }}
        action="Duplicate profile"
        failed="Not duplicated."
        done="Duplicated."
      >
        {(data?.accounts.length ?? 0) < 2 ? null : (
          <Choice
            label="Account"
            note="On another account the coins are copied too; within one account a coin belongs to one profile only."
            value={accountId}
            options={data?.accounts.map(({ id, name }) => ({ value: id, words: name })) ?? []}
            onChange={(id) =>
              setAccountId(data?.accounts.find((account) => account.id === id)?.id ?? profile.accountId)
            }
          />
        )}
      </TextForm>
      <div className="actions">
        <a
          className="btn"
          href={addressOf(exportProfile.path, { id: profile.id }, undefined)}
          download={`${profile.name}.json`}
        >
          Export settings
        </a>
        <span className="why">Without trade history. Import the file under Profiles.</span>
      </div>
    </Section>
  );
}

function Delete({ profile }: { profile: Profile }): ReactNode {
  const go = useNavigate();
  const { data } = useRead(listCoins, { params: { id: profile.id } });
  const { data: dashboard } = useRead(readDashboard, {});
  const [leave, setLeave] = useState(false);
  const held = data?.coins.filter((coin) => coinView(coin).held) ?? [];
  const orders = dashboard?.orders.filter((order) => order.profileId === profile.id && isLive(order)) ?? [];
  const amounts = held.map((coin) => `${quantity(coin.position.quantity, coin.stepSize)} ${coinView(coin).base}`);
  return (
    <Section title="Delete">
      <p className="two p-2">
        The profile is paused and the worker cancels its open orders. Then the profile and its settings are deleted.
        Orders, fills and ledger rows stay.
      </p>
      {held.length === 0 ? null : (
        <div className="px-2 pb-2">
          <Switch
            label={`Leave ${amounts.join(', ')} in the wallet`}
            note="They are then unmanaged and have no stop. To avoid that, sell them first."
            on={leave}
            onChange={setLeave}
          />
        </div>
      )}
      <div className="actions">
        <WorkerAction
          accountId={profile.accountId}
          words="Delete this profile…"
          disabled={held.length > 0 && !leave}
          title={`Delete ${profile.name}?`}
          action={`Delete ${profile.name}${orders.length === 0 ? '' : ` and cancel ${count(orders.length, 'order')}`}`}
          done={`${profile.name} is deleted.`}
          run={() =>
            call(deleteProfile, { params: { id: profile.id }, query: { leavePositions: leave ? 'true' : 'false' } })
          }
          onDone={() => void go({ to: '/profiles' })}
        >
          <p>{count(profile.symbols.length, 'coin')} of the profile are no longer traded. This cannot be undone.</p>
          {orders.length === 0 ? null : <p>The worker first cancels {count(orders.length, 'open order')}.</p>}
          {held.length === 0 ? null : <p>{amounts.join(', ')} stay in the wallet, unmanaged and without a stop.</p>}
        </WorkerAction>
      </div>
    </Section>
  );
}
