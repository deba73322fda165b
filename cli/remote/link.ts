import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { z } from 'zod';
import { type Client, ClientProblem, createClient } from '#api/script-client.ts';

interface LinkOptions {
  readonly url: string;
  /** File with the sessions of this user, readable only by that user. */
  readonly home: string;
  readonly email: string | undefined;
  readonly password: string | undefined;
  /** Used instead of a session. */
  readonly token: string | undefined;
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

const NOWHERE = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Prompts at the terminal. For a secret, the line editor writes to nothing, so the keys are not shown. */
async function ask(question: string, kind: 'shown' | 'secret'): Promise<string> {
  if (!process.stdin.isTTY)
    throw new ClientProblem(
      'Sign in first: set TRADEWIND_TOKEN, or TRADEWIND_EMAIL and TRADEWIND_PASSWORD, or run it in a terminal.',
    );
  const secret = kind === 'secret';
  const output = secret ? NOWHERE() : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  // From here on the terminal does not echo keys.
  if (secret) process.stderr.write(question);
  lines.once('SIGINT', () => {
    lines.close();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    return await lines.question(secret ? '' : question);
  } finally {
    lines.close();
    if (secret) process.stderr.write('\n');
  }
}

/** The client of a command. It stores its session between commands, and prompts for sign-in without one. */
export const openLink = (options: LinkOptions): Client =>
  createClient({
    url: options.url,
    token: options.token,
    session: readSessions(options.home)[options.url],
    onSession: (session) => keepSession(options, session),
    credentials: async () => ({
      email: options.email ?? (await ask('E-mail: ', 'shown')),
      password: options.password ?? (await ask('Password: ', 'secret')),
    }),
  });
