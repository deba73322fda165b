import type { listAccounts } from '#api/contract/accounts.ts';
import type { listCoins, readCoin, readProfile } from '#api/contract/profiles.ts';
import type { listLogs, listSymbols, readDashboard } from '#api/contract/records.ts';
import type { readOrderTerms } from '#api/contract/manual.ts';
import type { Answer } from '#api/contract/operation.ts';
import type { currentSession, status } from '#api/contract/session.ts';

export type Account = Answer<typeof listAccounts>['accounts'][number];
export type Dashboard = Answer<typeof readDashboard>;
export type DashboardAccount = Dashboard['accounts'][number];
export type Coin = Answer<typeof listCoins>['coins'][number];
export type CoinPage = Answer<typeof readCoin>;
export type Order = CoinPage['orders'][number];
export type LogRow = Answer<typeof listLogs>['rows'][number];
export type Profile = Answer<typeof readProfile>;
export type OrderTerms = Answer<typeof readOrderTerms>;
export type Status = Answer<typeof status>;
export type Session = Answer<typeof currentSession>;
export type Market = Answer<typeof listSymbols>['symbols'][number];
