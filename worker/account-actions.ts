import { ORPHAN_ACTIONS } from './orphans.ts';
import { REMOVALS } from './removals.ts';
import type { AccountAction } from './account-action.ts';

/** What can be asked of an account's owner, by kind. */
export const ACCOUNT_ACTIONS: Readonly<Record<string, AccountAction>> = { ...ORPHAN_ACTIONS, ...REMOVALS };
