import { venueOf } from '#core/account/account.ts';
import { add, type Decimal, readDecimal, ZERO } from '#core/amount/decimal.ts';
import type { Dashboard, DashboardAccount } from '#web/data/answers.ts';

type Tag = 'LIVE' | 'TESTNET' | 'DEMO' | 'PAPER';

const TAGS = { live: 'LIVE', testnet: 'TESTNET', demo: 'DEMO', paper: 'PAPER' } as const;
export const tagOf = (account: Pick<DashboardAccount, 'exchangeMode' | 'endpoint'>): Tag => TAGS[venueOf(account)];

/** The unit of an account's money: `USDT`, `paper USDT` or `test USDT`. */
export const moneyUnit = (tag: Tag, asset: string): string =>
  tag === 'LIVE' ? asset : `${tag === 'PAPER' ? 'paper' : 'test'} ${asset}`;

/** Accounts of one kind and one quote asset: only their money is added up. */
export interface AccountGroup {
  readonly tag: Tag;
  readonly asset: string;
  readonly accounts: readonly DashboardAccount[];
  readonly equity: Decimal | null;
  readonly free: Decimal | null;
  readonly realisedToday: Decimal;
  /** P&L since midnight and its share of the equity then. */
  readonly pnlToday: Decimal | null;
  readonly pnlShare: number | null;
  readonly unrealised: Decimal;
  readonly exposure: Decimal;
  readonly positions: number;
  readonly unpriced: number;
  readonly locked: Decimal | null;
  readonly stops: { readonly kept: number; readonly onExchange: number; readonly result: Decimal | null };
  /** Of the one account; not known for several together. */
  readonly drawdown: DashboardAccount['drawdown'];
}

const total = (texts: readonly (string | null)[]): Decimal | null =>
  texts.reduce<Decimal | null>((sum, text) => {
    const value = text === null ? undefined : readDecimal(text);
    return sum === null || value === undefined ? null : add(sum, value);
  }, ZERO);

const count = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

/** The figures of several accounts: amounts are added, a share belongs to one account alone. */
function figuresOf(members: readonly DashboardAccount[]) {
  const [first, second] = members;
  const only = second === undefined ? first : undefined;
  const stopped = members.filter(({ stops }) => stops.kept > 0);
  return {
    pnlToday: total(members.map(({ pnlToday }) => pnlToday?.amount ?? null)),
    pnlShare: only?.pnlToday?.share ?? null,
    unrealised: total(members.map(({ unrealised }) => unrealised)) ?? ZERO,
    exposure: total(members.map(({ exposure }) => exposure)) ?? ZERO,
    positions: count(members.map(({ positions }) => positions)),
    unpriced: count(members.map(({ unpriced }) => unpriced)),
    locked: total(members.map(({ locked }) => locked)),
    stops: {
      kept: count(members.map(({ stops }) => stops.kept)),
      onExchange: count(members.map(({ stops }) => stops.onExchange)),
      result: stopped.length === 0 ? null : total(stopped.map(({ stops }) => stops.result)),
    },
    drawdown: only?.drawdown ?? null,
  };
}

/** Account groups: live first, paper last; groups without a profile come after all others. */
export function accountGroups({ accounts, profiles }: Pick<Dashboard, 'accounts' | 'profiles'>): AccountGroup[] {
  const order: readonly Tag[] = ['LIVE', 'TESTNET', 'DEMO', 'PAPER'];
  const used = new Set(profiles.map((profile) => profile.accountId));
  const groups = Map.groupBy(accounts, (account) => `${tagOf(account)} ${account.quoteAsset ?? 'USDT'}`);
  const rank = (group: AccountGroup): number =>
    (group.accounts.some((account) => used.has(account.id)) ? 0 : 10) + order.indexOf(group.tag);
  return [...groups.values()]
    .flatMap((members) => {
      const [first] = members;
      if (first === undefined) return [];
      return [
        {
          tag: tagOf(first),
          asset: first.quoteAsset ?? 'USDT',
          accounts: members,
          equity: total(members.map((account) => account.equity)),
          free: total(members.map((account) => account.free)),
          realisedToday: total(members.map((account) => account.realisedToday)) ?? ZERO,
          ...figuresOf(members),
        },
      ];
    })
    .sort((a, b) => rank(a) - rank(b));
}
