import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { readDecimal } from '#core/amount/decimal.ts';
import { type AccountId, type ProfileId, readId } from '#core/ids.ts';
import { PERIODS, readPerformance } from '#api/contract/performance.ts';
import { readDashboard } from '#api/contract/records.ts';
import type { Dashboard, DashboardAccount } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { accountGroups, moneyUnit, tagOf } from '#web/ui/accounts.ts';
import { Gain } from '#web/ui/figures.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { count, signedPercent } from '#web/ui/numbers.ts';
import { Breakdowns } from './breakdowns.tsx';
import { Curve } from './curve.tsx';
import { DayHeat } from './day-heat.tsx';
import { DayTrades } from './day-trades.tsx';
import { Distribution } from './distribution.tsx';
import { Exposure } from './exposure.tsx';
import { KeyFigures } from './key-figures.tsx';
import { MonthCalendar } from './month-calendar.tsx';
import { PeriodTools } from './period-tools.tsx';
import type { Performance, PeriodChoice } from './queries.ts';
import { dayName } from './texts.ts';
import { Read } from '#web/ui/read.tsx';

/** The accounts in the order of the overview, live ones first. */
export function PerformancePage(): ReactNode {
  const dashboard = useRead(readDashboard, {});
  return (
    <Read of={dashboard} what="the accounts" title="Performance" rows={8}>
      {(data) => <Accounts data={data} />}
    </Read>
  );
}

function Accounts({ data }: { data: Dashboard }): ReactNode {
  const { account: wanted } = useSearch({ from: '/shell/performance' });
  const accounts = accountGroups(data).flatMap((group) => group.accounts);
  const account = accounts.find(({ id }) => id === wanted) ?? accounts[0];
  if (account === undefined)
    return (
      <div className="head">
        <h1 className="verdict">There is no account yet.</h1>
      </div>
    );
  return <AccountPerformance key={account.id} account={account} accounts={accounts} />;
}

function AccountChoice({ account, accounts, onChange }: AccountProps & { onChange: (id: string) => void }): ReactNode {
  return (
    <span className="in">
      <select aria-label="Account" value={account.id} onChange={({ target }) => onChange(target.value)}>
        {accounts.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}, {tagOf(one).toLowerCase()}
          </option>
        ))}
      </select>
    </span>
  );
}

function useChoice(): PeriodChoice {
  const { period, from, to, profile } = useSearch({ from: '/shell/performance' });
  const profileId = profile === undefined ? undefined : readId<ProfileId>(profile);
  const known = PERIODS.find((one) => one === period) ?? 'all';
  const dates =
    known === 'custom' ? { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) } : {};
  return { period: known, ...dates, ...(profileId === undefined ? {} : { profileId }) };
}

const POLL_MS = 60_000;

interface AccountProps {
  account: DashboardAccount;
  accounts: readonly DashboardAccount[];
}

function AccountPerformance({ account, accounts }: AccountProps): ReactNode {
  const choice = useChoice();
  const navigate = useNavigate({ from: '/performance' });
  const read = useRead(readPerformance, { params: { id: account.id }, query: choice }, { every: POLL_MS, keep: true });
  const { data, isPlaceholderData } = read;
  const unit = moneyUnit(tagOf(account), data?.quoteAsset ?? account.quoteAsset ?? 'USDT');
  const change = ({ profileId, ...next }: PeriodChoice): void =>
    void navigate({
      search: { account: account.id, ...next, ...(profileId === undefined ? {} : { profile: profileId }) },
      resetScroll: false,
    });
  return (
    <>
      <title>Performance · Tradewind</title>
      <div className="head">
        <h1 className="verdict">{data === undefined ? 'Performance' : <Verdict data={data} unit={unit} />}</h1>
        {data === undefined ? null : <p className="two">{scopeText(data, account)}</p>}
      </div>
      {data?.firstAt === null ? (
        <p>
          <Link to="/profiles">Profiles and their coins</Link>
        </p>
      ) : null}
      <PeriodTools accountId={account.id} choice={choice} data={data} onChange={change}>
        {accounts.length < 2 ? null : (
          <AccountChoice {...{ account, accounts }} onChange={(id) => void navigate({ search: { account: id } })} />
        )}
      </PeriodTools>
      <Read of={read} what="the performance" rows={12}>
        {(answer) =>
          answer.firstAt === null ? null : (
            <div className={isPlaceholderData ? 'loading' : ''} aria-busy={isPlaceholderData}>
              <Parts accountId={account.id} profileId={choice.profileId} data={answer} unit={unit} />
            </div>
          )
        }
      </Read>
    </>
  );
}

interface PartsProps {
  accountId: AccountId;
  profileId: ProfileId | undefined;
  data: Performance;
  unit: string;
}

function Parts({ accountId, profileId, data, unit }: PartsProps): ReactNode {
  const { day } = useSearch({ from: '/shell/performance' });
  const navigate = useNavigate({ from: '/performance' });
  const setDay = (next: string | undefined): void =>
    void navigate({
      search: ({ day: _before, ...rest }) => (next === undefined ? rest : { ...rest, day: next }),
      resetScroll: false,
    });
  return (
    <>
      <LeftOut data={data} unit={unit} />
      <KeyFigures data={data} unit={unit} />
      <div className="cols">
        <Curve data={data} unit={unit} />
        <MonthCalendar data={data} unit={unit} chosen={day} onChoose={setDay} />
      </div>
      {day === undefined ? null : (
        <DayTrades {...{ accountId, profileId, data, day, unit }} onClose={() => setDay(undefined)} />
      )}
      <div className="cols">
        <DayHeat data={data} unit={unit} chosen={day} onChoose={setDay} />
        <Distribution data={data} unit={unit} />
      </div>
      <div className="cols">
        <Breakdowns data={data} />
        <Exposure data={data} unit={unit} />
      </div>
    </>
  );
}

function spanText(first: string, last: string, endsNow: boolean): string {
  if (first === last) return `on ${dayName(first, last)}`;
  return endsNow ? `since ${dayName(first, last)}` : `from ${dayName(first, last)} to ${dayName(last, last)}`;
}

/** One sentence: the result of the period, and how it compares with buy and hold. */
function Verdict({ data, unit }: { data: Performance; unit: string }): ReactNode {
  const { net, holding, days, firstAt } = data;
  if (firstAt === null) return 'Nothing was traded yet.';
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  const ahead = holding?.ahead ?? null;
  const points = ahead === null ? 0 : Number((Math.abs(ahead) * 100).toFixed(1));
  return (
    <>
      <Gain value={readDecimal(net.pnl) ?? null} unit={unit} />
      {net.share === null ? '' : ` (${signedPercent(net.share, 1)})`} {spanText(first, last, data.endsNow)}
      {ahead === null
        ? '.'
        : points === 0
          ? ', the same as buy and hold.'
          : `, ${points.toFixed(1)} points ${ahead > 0 ? 'ahead of' : 'behind'} buy and hold.`}
    </>
  );
}

function scopeText({ trades, coins, kind, firstAt }: Performance, { name }: DashboardAccount): string {
  if (firstAt === null) return 'The first buy appears here within a minute.';
  const money = {
    live: 'Paper and test money are not included.',
    paper: 'This is paper money.',
    demo: 'This is test money.',
    testnet: 'This is test money.',
  }[kind];
  return `${name}, after all fees. ${count(trades.trades, 'closed trade')} on ${count(coins.length, 'coin')}. ${money}`;
}

/** Coins and deposits that the numbers do not contain. */
function LeftOut({
  data: { otherAssets, unpriced, equity, quoteAsset },
  unit,
}: {
  data: Performance;
  unit: string;
}): ReactNode {
  return (
    <>
      {otherAssets.length === 0 ? null : (
        <Notice tone="care" title="Not included:">
          {otherAssets.join(', ')}. Their P&amp;L is not in {quoteAsset}.
        </Notice>
      )}
      {unpriced.length === 0 ? null : (
        <Notice tone="care" title="Without a price:">
          {unpriced.join(', ')}. They count at their cost.
        </Notice>
      )}
      {equity === null || Number(equity.deposits) === 0 ? null : (
        <p className="note pb-2">
          Deposits less withdrawals of {equity.deposits} {unit} are taken out.
        </p>
      )}
    </>
  );
}
