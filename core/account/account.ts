import type { AccountId } from '#core/ids.ts';

export const EXCHANGE_MODES = ['live', 'testnet'] as const;
export type ExchangeMode = (typeof EXCHANGE_MODES)[number];
export const ENDPOINTS = ['exchange', 'demo', 'paper'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** The venue of an account. Paper and demo are testnet accounts with another endpoint. */
export type Venue = 'live' | 'testnet' | 'demo' | 'paper';

export interface Account {
  readonly id: AccountId;
  readonly name: string;
  readonly exchangeMode: ExchangeMode;
  readonly endpoint: Endpoint;
  readonly epoch: number;
}

export const venueOf = (account: Pick<Account, 'exchangeMode' | 'endpoint'>): Venue =>
  account.endpoint === 'exchange' ? account.exchangeMode : account.endpoint;

export interface ApiKey {
  readonly accountId: AccountId;
  readonly label: string;
  readonly apiKey: string;
  readonly secret: string;
  readonly status: 'healthy' | 'error' | null;
  readonly cause: string | null;
  readonly checkedAt: Date | null;
}

/** Free and locked amount per asset, reported by the exchange at `at` (wall time). */
export interface Wallet {
  readonly at: Date;
  readonly balances: Readonly<Record<string, { readonly free: string; readonly locked: string }>>;
}
