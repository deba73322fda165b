import { stripTypeScriptTypes } from 'node:module';

/**
 * Replaces types by spaces, so that lines and columns stay. Throws when the text is no TypeScript, or needs more than
 * that. Node marks the function as experimental and warns on standard error; the Node of the lockfile is tested.
 */
export function stripTypes(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text, { mode: 'strip' });
  } finally {
    process.emitWarning = emitWarning;
  }
}
