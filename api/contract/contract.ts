import * as accounts from './accounts.ts';
import * as halts from './halts.ts';
import * as jobs from './jobs.ts';
import type { Operation } from './operation.ts';
import * as profiles from './profiles.ts';
import * as records from './records.ts';
import * as risk from './risk.ts';
import * as session from './session.ts';

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** Every operation of the API, for the walk over routes and the reference. */
export const OPERATIONS: readonly Operation[] = [session, accounts, halts, risk, profiles, records, jobs].flatMap(
  (family) => Object.values(family).filter(isOperation),
);
