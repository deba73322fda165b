import type { Account, ApiKey } from './account.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';

/** A profile as the worker runs it. */
export interface ProfileToRun {
  readonly id: ProfileId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly strategyName: string;
  readonly config: unknown;
  readonly enabled: boolean;
  /** Wall time until which every tick is logged with its whole audit; null without deep capture. */
  readonly captureUntil: Date | null;
  /** `version` of the stored runner state; 0 without one. */
  readonly symbols: readonly { readonly symbol: string; readonly overrideConfig: unknown; readonly version: number }[];
}

export interface AccountToRun {
  readonly account: Account;
  readonly key: ApiKey | null;
}
