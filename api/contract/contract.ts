import { exportsIn } from '#api/modules.ts';
import type { Operation } from './operation.ts';

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'auth' in value;

/** Every operation of the API, from the files of this folder: for tests over all routes and the reference. */
export const OPERATIONS: readonly Operation[] = (await exportsIn(new URL('./', import.meta.url), import.meta.url))
  .map(([, value]) => value)
  .filter(isOperation);
