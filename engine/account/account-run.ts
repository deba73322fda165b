import type { Wallet } from '#core/account/account.ts';
import type { Decimal } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { AccountContext, AccountContextInput } from '#engine/state/account-context.ts';
import type { Roster } from '#engine/state/ports.ts';
import type { RunningCoins } from './roster.ts';

/** One account while this worker holds its lease. */
export interface RunningAccount {
  readonly context: AccountContext;
  readonly coins: RunningCoins;
  /** Profiles, coins, configs or orphans changed. */
  refreshProfiles(): Promise<void>;
  refreshHalts(): Promise<void>;
  /** Whether the market stream is connected, as the operator sees it: undefined while it connects for the first time. */
  reportedStream(): boolean | undefined;
}

export interface AccountRun extends Omit<AccountContextInput, 'fail'> {
  readonly roster: Roster;
  readonly onRunning: (account: RunningAccount) => void;
  /** A new wallet, and the fee of a market order as a share. */
  readonly onWallet: (wallet: Wallet, takerFee: number) => void;
  readonly onRules: (rules: readonly SymbolRules[]) => void;
  /** The rules that a worker last read, for a start at which the exchange does not return them. */
  readonly keptRules?: () => Promise<readonly SymbolRules[] | undefined>;
  /** A price of a watched coin: its profile is enabled or holds it. */
  readonly onPrice: (seen: WatchedPrice) => void;
  /** The coin was removed from the profile, and no more records of it follow. */
  readonly onUnbound: (profileId: ProfileId, symbol: string) => void;
}

/** A coin's last price, at market time `atMs`. */
export interface WatchedPrice {
  readonly symbol: string;
  readonly price: Decimal;
  readonly atMs: number;
}
