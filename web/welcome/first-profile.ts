import type { AccountId } from '#core/ids.ts';
import type { FirstChoices } from '#web/config/first-config.ts';

/** Choices of the first profile so far. */
export interface FirstProfile {
  readonly accountId: AccountId | undefined;
  readonly choices: FirstChoices;
  /** Absent until the operator has chosen. */
  readonly coins: ReadonlySet<string> | undefined;
}
