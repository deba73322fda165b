import { listAccounts } from '#api/contract/accounts.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { type Client, ClientProblem } from '#api/script-client.ts';
import type { FlagKinds } from '#cli/flags.ts';

export type Flags = ReadonlyMap<string, string>;
/** The answer as JSON and as lines. */
export interface CommandOutput {
  readonly answer: unknown;
  readonly lines: readonly string[];
  /** Rows printed after that as they arrive. */
  readonly later?: AsyncIterable<string>;
}
/** A command that calls a running api. */
export interface Remote {
  readonly flags: FlagKinds;
  /** It signs in even when TRADEWIND_TOKEN is set: no token may do this. */
  readonly signsIn?: true;
  run(link: Client, flags: Flags): Promise<CommandOutput>;
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The entry with that name or id. */
export function named<One extends { readonly id: string; readonly name: string }>(
  all: readonly One[],
  wanted: string,
  what: string,
): One {
  const found = all.filter(({ id, name }) => id === wanted || name === wanted);
  const [one] = found;
  if (one !== undefined && found.length === 1) return one;
  const names = all.map(({ name }) => `"${name}"`).join(', ') || 'none';
  throw new ClientProblem(
    found.length > 1
      ? `There are ${found.length} ${what}s "${wanted}": use the id.`
      : `There is no ${what} "${wanted}"; there are: ${names}.`,
  );
}

export const profileOf = async (link: Client, wanted: string) =>
  named((await link.call(listProfiles, {})).profiles, wanted, 'profile');

export const accountOf = async (link: Client, wanted: string) =>
  named((await link.call(listAccounts, {})).accounts, wanted, 'account');

/** The value of a flag that the command needs. */
export function requireFlag(flags: Flags, name: string, what: string): string {
  const value = flags.get(name);
  if (value === undefined) throw new ClientProblem(`Set ${what}: --${name} ${name.toUpperCase()}.`);
  return value;
}
