import { add, type Decimal, negate, subtract, ZERO } from '#core/decimal.ts';

export interface Balance {
  readonly free: Decimal;
  readonly locked: Decimal;
}

/** Counterparts that are no account; they may be negative, and with them everything adds up to zero. */
export const MARKET_PURSE = '#market';
export const FEES_PURSE = '#fees';
export const OUTSIDE_PURSE = '#outside';
const EMPTY: Balance = { free: ZERO, locked: ZERO };

export interface PurseRow {
  readonly owner: string;
  readonly asset: string;
  readonly balance: Balance;
}

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly amount: Decimal;
}

/**
 * All money of the exchange. Every change is a move between two purses or between the two halves of one, so that the sum
 * over all purses stays zero per asset.
 */
export interface Purses {
  balance(owner: string, asset: string): Balance;
  /** Free money from one owner to another. */
  move(money: Move): void;
  lock(owner: string, asset: string, amount: Decimal): void;
  unlock(owner: string, asset: string, amount: Decimal): void;
  /** Locked money of one owner to the free money of another. */
  pay(money: Move): void;
  rows(): PurseRow[];
  restore(row: PurseRow): void;
  /** Forgets all money. */
  clear(): void;
  /** The rows changed since the last call. */
  takeChanged(): PurseRow[];
}

export function openPurses(): Purses {
  const owners = new Map<string, Map<string, Balance>>();
  const changed = new Map<string, { owner: string; asset: string }>();
  const balance = (owner: string, asset: string): Balance => owners.get(owner)?.get(asset) ?? EMPTY;
  const set = (owner: string, asset: string, next: Balance) => {
    const negative = next.free < 0n || next.locked < 0n;
    if (negative && !owner.startsWith('#')) throw new Error(`the ${asset} balance of "${owner}" would fall below zero`);
    const assets = owners.get(owner) ?? new Map<string, Balance>();
    owners.set(owner, assets.set(asset, next));
    changed.set(`${owner}|${asset}`, { owner, asset });
  };
  const change = (owner: string, asset: string, by: Balance) => {
    const before = balance(owner, asset);
    set(owner, asset, { free: add(before.free, by.free), locked: add(before.locked, by.locked) });
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
    rows: () =>
      [...owners].flatMap(([owner, assets]) => [...assets].map(([asset, one]) => ({ owner, asset, balance: one }))),
    restore: (row) => set(row.owner, row.asset, row.balance),
    clear: () => owners.clear(),
    takeChanged: () => {
      const rows = [...changed.values()].map(({ owner, asset }) => ({ owner, asset, balance: balance(owner, asset) }));
      changed.clear();
      return rows;
    },
  };
}

export interface AssetTotals {
  readonly asset: string;
  readonly accounts: Decimal;
  readonly fees: Decimal;
  readonly market: Decimal;
  readonly deposits: Decimal;
  /** Zero unless money appeared or vanished. */
  readonly difference: Decimal;
}

/** Sums per asset: what accounts, fees and market hold must equal what was deposited. */
export function totalsOf(rows: readonly PurseRow[]): AssetTotals[] {
  const byAsset = Map.groupBy(rows, (row) => row.asset);
  return [...byAsset].map(([asset, all]) => {
    const sum = (keep: (owner: string) => boolean): Decimal =>
      all
        .filter((row) => keep(row.owner))
        .reduce((total, row) => add(total, add(row.balance.free, row.balance.locked)), ZERO);
    const accounts = sum((owner) => !owner.startsWith('#'));
    const fees = sum((owner) => owner === FEES_PURSE);
    const market = sum((owner) => owner === MARKET_PURSE);
    const deposits = negate(sum((owner) => owner === OUTSIDE_PURSE));
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
