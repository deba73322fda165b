import { isObject } from '#core/merge.ts';
import type { Operator } from './session.ts';

/** Stands in answers to a visitor of a live demo for whatever belongs to a person or to a key. */
export const MASK = 'demo';

/** Fields that hold a person's address or name, wherever they are. */
const PERSONAL = new Set(['by', 'ip', 'userAgent', 'email']);

/** A replacer of JSON.stringify; undefined shows everything as it is. */
export type Mask = ((name: string, value: unknown) => unknown) | undefined;

/**
 * What a visitor of a live demo must not see of the operator and of other visitors: fields of a person, what identifies
 * an API key, and the operator's e-mail address inside any text. A real session sees everything.
 */
export function maskFor(operator: Operator | null): Mask {
  if (operator === null || operator.session !== null) return undefined;
  const email = new RegExp(operator.user.email.replaceAll(/[^\w@]/g, '\\$&'), 'gi');
  return (name, value) => {
    if (typeof value === 'string') return PERSONAL.has(name) ? MASK : value.replace(email, MASK);
    if (isObject(value) && 'last4' in value) return { ...value, label: MASK, last4: MASK };
    return value;
  };
}
