import type { AccountId } from './ids.ts';

/** Something the operator should hear of wherever they are; the text holds no bind values and no credentials. */
export interface Notice {
  readonly kind: 'dead-letter' | 'exchange-reset';
  readonly accountId?: AccountId;
  readonly title: string;
  readonly text: string;
}

/** Passes a notice on to the operator; it rejects when it should be tried again. */
export type Notify = (notice: Notice) => Promise<void>;
