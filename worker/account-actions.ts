import { ORPHAN_ACTIONS } from './orphans.ts';
import { REMOVALS } from './removals.ts';
import type { AccountAction } from './account-action.ts';

/** Actions that the owner of an account executes, by kind. */
export const ACCOUNT_ACTIONS: Readonly<Record<string, AccountAction>> = { ...ORPHAN_ACTIONS, ...REMOVALS };
