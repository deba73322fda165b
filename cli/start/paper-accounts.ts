import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { StartProblem } from './start-problem.ts';

export interface KeyPair {
  readonly apiKey: string;
  readonly secret: string;
}

const accountList = z.array(z.object({ apiKey: z.string().min(1), secret: z.string().min(1) })).min(1);

/** Reads the operator's key pair of the paper exchange, and creates the account on the first start. */
export function readOrMakePaperAccount(path: string): KeyPair {
  if (!existsSync(path))
    writeFileSync(path, `${JSON.stringify([makeAccount()], null, 2)}\n`, { mode: 0o600, flush: true });
  const parsed = accountList.safeParse(readJson(path));
  const [operator] = parsed.data ?? [];
  if (operator !== undefined) return operator;
  throw new StartProblem(
    `${path} does not contain the accounts of the paper exchange; delete it to start with a new account.`,
  );
}

function makeAccount(): object {
  return {
    name: 'operator',
    apiKey: randomBytes(48).toString('base64url'),
    secret: randomBytes(48).toString('base64url'),
    permissions: ['SPOT', 'READ'],
    canWithdraw: false,
    ipAllowList: [],
    balances: { USDT: '10000', BNB: '0', BTC: '0' },
    makerBps: 10,
    takerBps: 10,
  };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
