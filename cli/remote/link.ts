import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { z } from 'zod';
import { type Client, ClientProblem, createClient } from '#api/script-client.ts';

export interface LinkOptions {
  readonly url: string;
  /** Where the sessions of this user are kept, readable by nobody else. */
  readonly home: string;
  readonly email: string | undefined;
  readonly password: string | undefined;
}

const sessions = z.record(z.string(), z.string());
const fileOf = (home: string): string => join(home, '.tradewind', 'sessions.json');

function readSessions(home: string): Record<string, string> {
  try {
    return sessions.parse(JSON.parse(readFileSync(fileOf(home), 'utf8')));
  } catch {
    return {};
  }
}

function keepSession({ home, url }: LinkOptions, session: string): void {
  mkdirSync(dirname(fileOf(home)), { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(home), JSON.stringify({ ...readSessions(home), [url]: session }), { mode: 0o600 });
}

async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new ClientProblem('Sign in first: set TRADEWIND_EMAIL and TRADEWIND_PASSWORD, or run it in a terminal.');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** The client of a command: it keeps its session between commands, and asks who types when there is none. */
export const openLink = (options: LinkOptions): Client =>
  createClient({
    url: options.url,
    session: readSessions(options.home)[options.url],
    onSession: (session) => keepSession(options, session),
    credentials: async () => ({
      email: options.email ?? (await ask('E-mail: ')),
      password: options.password ?? (await ask('Password (it is shown): ')),
    }),
  });
