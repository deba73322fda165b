import { add, type Decimal, negate, subtract, ZERO } from '#core/amount/decimal.ts';

export interface Balance {
  readonly free: Decimal;
  readonly locked: Decimal;
}

/**
 * Counterparties that are not accounts. Their balances may be negative. Together with them, all balances add up to
 * zero.
 */
export const MARKET_OWNER = '#market';
export const FEES_OWNER = '#fees';
export const OUTSIDE_OWNER = '#outside';
const EMPTY: Balance = { free: ZERO, locked: ZERO };

export interface BalanceRow {
  readonly owner: string;
  readonly asset: string;
  readonly balance: Balance;
}

type MutableRow = BalanceRow & { balance: Balance };

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly amount: Decimal;
}

/**
 * All balances of the exchange. Every change moves money between two owners, or between free and locked. The sum over
 * all owners stays zero for each asset.
 */
export interface Balances {
  balance(owner: string, asset: string): Balance;
  /** Moves free money from one owner to another. */
  move(money: Transfer): void;
  lock(owner: string, asset: string, amount: Decimal): void;
  unlock(owner: string, asset: string, amount: Decimal): void;
  /** Moves locked money of one owner to the free money of another. */
  pay(money: Transfer): void;
  rows(): BalanceRow[];
  restore(row: BalanceRow): void;
  /** Removes all balances. */
  clear(): void;
  /** Returns the rows changed since the last call. */
  drainChanged(): BalanceRow[];
}

export function openBalances(): Balances {
  const owners = new Map<string, Map<string, MutableRow>>();
  const changed = new Set<MutableRow>();
  const rowOf = (owner: string, asset: string): MutableRow => {
    const assets = owners.get(owner) ?? new Map<string, MutableRow>();
    if (assets.size === 0) owners.set(owner, assets);
    const row = assets.get(asset) ?? { owner, asset, balance: EMPTY };
    return assets.has(asset) ? row : (assets.set(asset, row), row);
  };
  const balance = (owner: string, asset: string): Balance => owners.get(owner)?.get(asset)?.balance ?? EMPTY;
  const set = (row: MutableRow, next: Balance) => {
    const negative = next.free < 0n || next.locked < 0n;
    if (negative && !row.owner.startsWith('#'))
      throw new Error(`the ${row.asset} balance of "${row.owner}" would fall below zero`);
    row.balance = next;
    changed.add(row);
  };
  const change = (owner: string, asset: string, by: Balance) => {
    const row = rowOf(owner, asset);
    set(row, { free: add(row.balance.free, by.free), locked: add(row.balance.locked, by.locked) });
  };
  return {
    balance,
    move: ({ from, to, asset, amount }) => {
      change(from, asset, { free: negate(amount), locked: ZERO });
      change(to, asset, { free: amount, locked: ZERO });
    },
    lock: (owner, asset, amount) => change(owner, asset, { free: negate(amount), locked: amount }),
    unlock: (owner, asset, amount) => change(owner, asset, { free: amount, locked: negate(amount) }),
    pay: ({ from, to, asset, amount }) => {
      change(from, asset, { free: ZERO, locked: negate(amount) });
      change(to, asset, { free: amount, locked: ZERO });
    },
    rows: () => [...owners.values()].flatMap((assets) => [...assets.values()].map((row) => ({ ...row }))),
    restore: ({ owner, asset, balance: stored }) => set(rowOf(owner, asset), stored),
    clear: () => owners.clear(),
    drainChanged: () => {
      const rows = [...changed].map((row) => ({ ...row }));
      changed.clear();
      return rows;
    },
  };
}

interface AssetTotals {
  readonly asset: string;
  readonly accounts: Decimal;
  readonly fees: Decimal;
  readonly market: Decimal;
  readonly deposits: Decimal;
  /** Not zero if money appeared or vanished. */
  readonly difference: Decimal;
}

/** Sums for each asset: accounts, fees and market together must equal the deposits. */
export function totalsOf(rows: readonly BalanceRow[]): AssetTotals[] {
  const byAsset = Map.groupBy(rows, (row) => row.asset);
  return [...byAsset].map(([asset, all]) => {
    const sum = (keep: (owner: string) => boolean): Decimal =>
      all
        .filter((row) => keep(row.owner))
        .reduce((total, row) => add(total, add(row.balance.free, row.balance.locked)), ZERO);
    const accounts = sum((owner) => !owner.startsWith('#'));
    const fees = sum((owner) => owner === FEES_OWNER);
    const market = sum((owner) => owner === MARKET_OWNER);
    const deposits = negate(sum((owner) => owner === OUTSIDE_OWNER));
    return {
      asset,
      accounts,
      fees,
      market,
      deposits,
      difference: subtract(add(add(accounts, fees), market), deposits),
    };
  });
}
