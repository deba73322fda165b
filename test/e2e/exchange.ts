import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '#core/merge.ts';
import { controlHeaders } from '#paper/drills/control-guard.ts';
import { type Hands, openHands } from '#test/flow/outside.ts';
import type { Stack } from './stack.ts';

/** The paper exchange of a started service: the account in other hands, and what is done to the exchange itself. */
export interface Exchange {
  readonly hands: Hands;
  /** Does one work of the control plane, such as `POST /faults`. */
  control(work: string, body?: unknown): Promise<void>;
}

export function openExchange({ dataDir }: Stack): Exchange {
  const read = (name: string): string => readFileSync(join(dataDir, name), 'utf8').trim();
  const accounts: unknown = JSON.parse(read('paper-accounts.json'));
  const listed: readonly unknown[] = Array.isArray(accounts) ? accounts : [];
  const [account] = listed;
  if (!isObject(account)) throw new Error('The paper exchange has no account yet.');
  const key = { apiKey: String(account['apiKey']), secret: String(account['secret']) };
  return {
    hands: openHands(`http://127.0.0.1:${read('paper-port')}`, key),
    async control(work, body) {
      const [method = '', path = ''] = work.split(' ');
      const url = `http://127.0.0.1:${read('paper-control-port')}${path}`;
      const headers = controlHeaders(read('paper-control-token'));
      const answer = await fetch(url, { method, headers, body: JSON.stringify(body) ?? null });
      if (!answer.ok) throw new Error(`${work} answered ${answer.status}: ${await answer.text()}`);
    },
  };
}
