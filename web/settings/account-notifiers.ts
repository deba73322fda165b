import type { listAccountNotifiers } from '#api/contract/account-notifiers.ts';
import type { Answer } from '#api/contract/operation.ts';

export type AccountNotifiers = Answer<typeof listAccountNotifiers>;
