import { isObject } from '#core/merge.ts';
import { isVisitor, type Operator } from './session.ts';

/** Replaces personal data and key data in answers to visitors of a live demo. */
const MASK = 'demo';

/**
 * Fields with a person's address or name at any depth, and errors of jobs, which contain addresses of notifiers and folders.
 */
const PERSONAL = new Set(['by', 'ip', 'userAgent', 'email', 'errorMessage', 'stack']);
/** Records of changes to what a demo locks. */
const LOCKED_RECORDS = /^(ai-provider|api-key|backup|notifier|ops-notify|password|session)\./;

/** A replacer of JSON.stringify; undefined shows everything as it is. */
export type Mask = ((name: string, value: unknown) => unknown) | undefined;

/**
 * Hides data of the operator and of other visitors from a visitor of a live demo: personal fields, identifiers of an API
 * key, and the operator's e-mail address inside any text. A real session sees everything.
 */
export function maskFor(operator: Operator | null): Mask {
  if (operator === null || !isVisitor(operator)) return undefined;
  const email = new RegExp(operator.user.email.replaceAll(/[^\w@]/g, '\\$&'), 'gi');
  return (name, value) => {
    if (typeof value === 'string') return PERSONAL.has(name) ? MASK : value.replace(email, MASK);
    if (!isObject(value)) return value;
    if ('last4' in value) return { ...value, label: MASK, last4: MASK };
    // An error of the advisor contains its provider's address.
    if ('slot' in value && typeof value['error'] === 'string') return { ...value, error: MASK };
    return value;
  };
}

interface RecordedChange {
  readonly action: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** An audit record with `mask` applied: a visitor does not see the values of settings that a demo locks. */
export function maskRecord<Change extends RecordedChange>(change: Change, mask: Mask): Change {
  if (mask === undefined || !LOCKED_RECORDS.test(change.action)) return change;
  const hide = (record: unknown): unknown => (record === null || record === undefined ? record : MASK);
  return { ...change, before: hide(change.before), after: hide(change.after) };
}
