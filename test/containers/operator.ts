import assert from 'node:assert/strict';
import { createAccount, listAccounts, saveApiKey } from '#api/contract/accounts.ts';
import { readAction } from '#api/contract/actions.ts';
import { placeOrder } from '#api/contract/manual.ts';
import { signIn, signUp, status } from '#api/contract/session.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { type ApiClient, createClient } from '#test/flow/client.ts';
import { startProfile } from '#test/flow/profile.ts';
import { until } from '#test/flow/until.ts';

const SYMBOL = 'BTCUSDT';
const CREDENTIALS = { email: 'operator@example.org', password: 'a long enough password' };
/** Prices far away: only the operator trades. */
const CALM = {
  candleInterval: '1m',
  buy: { entrySizing: { mode: 'fixed', amount: '150' }, gridLevels: [{ triggerPercentage: '0.5' }] },
  sell: { stopLossPercentage: '0.8', triggerPercentage: '2', trailingStopPercentage: '0.95' },
} as const;

/** The operator of a deployment, who signs up or in and trades by hand. */
export interface Operator extends ApiClient {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
}

/** The profile that trades an account. */
export interface Traded {
  readonly symbols: readonly string[];
  /** Absent: one that leaves the trading to the operator. */
  readonly config?: object;
}

/** Signs up, and starts a profile. */
export async function signUpAt(
  url: string,
  { symbols, config = CALM }: Traded = { symbols: [SYMBOL] },
): Promise<Operator> {
  const client = createClient(`${url}/api`);
  await until('the api to answer', () => client.call(status, {}).catch(() => undefined));
  await client.call(signUp, { body: CREDENTIALS });
  const [account] = (await client.call(listAccounts, {})).accounts;
  assert.ok(account !== undefined, 'a sign-up makes an account');
  const profileId = await startProfile({ ...client, accountId: account.id }, symbols, { config });
  return { ...client, accountId: account.id, profileId };
}

/** Adds another account on the paper exchange, with such a profile. Returns the same operator, who trades that account. */
export async function addAccount(
  operator: Operator,
  { name, apiKey, secret }: { readonly name: string; readonly apiKey: string; readonly secret: string },
  { symbols, config = CALM }: Traded,
): Promise<Operator> {
  const body = { name, exchangeMode: 'testnet', endpoint: 'paper' } as const;
  const { id: accountId } = await operator.call(createAccount, { body });
  await operator.call(saveApiKey, { params: { id: accountId }, body: { apiKey, secret, label: name } });
  const profileId = await startProfile({ ...operator, accountId }, symbols, { config, name: `of ${name}` });
  return { ...operator, accountId, profileId };
}

export const signInAt = (operator: Operator): Promise<unknown> => operator.call(signIn, { body: CREDENTIALS });

/** Places a manual order and waits until the worker has done it. */
export async function order(operator: Operator, body: Parameters<typeof orderBody>[0]): Promise<void> {
  const params = { id: operator.profileId, symbol: SYMBOL };
  const { actionId } = await until('the order to be taken', () =>
    operator.call(placeOrder, { params, body: orderBody(body) }).catch(() => undefined),
  );
  const done = await until('the worker to place the order', async () => {
    const read = await operator
      .call(readAction, { params: { id: operator.accountId, actionId } })
      .catch(() => undefined);
    return read !== undefined && read.finishedAt !== null ? read : undefined;
  });
  assert.equal(done.state, 'done', `${done.reason}`);
}

interface OrderInput {
  readonly side: 'buy' | 'sell';
  readonly quoteAmount: string;
  /** Absent: at the market. */
  readonly price?: string;
}
const orderBody = ({ side, quoteAmount, price }: OrderInput) => ({
  order: { side, quoteAmount, type: price === undefined ? ('market' as const) : ('limit' as const), price },
});

/** The number of executions that the service has recorded. */
export async function fills(operator: Operator): Promise<number> {
  const answer = await operator.fetch(`/profiles/${operator.profileId}/fills/export`);
  assert.equal(answer.status, 200);
  return (await answer.text()).trim().split('\n').length - 1;
}

/** Waits until api and worker are of this commit and answer through the proxy. */
export async function untilServed(url: string, sha: string): Promise<void> {
  const client = createClient(`${url}/api`);
  await until(`api and worker to be of ${sha.slice(0, 8)}`, async () => {
    const now = await client.call(status, {}).catch(() => undefined);
    return now?.api.sha === sha && now.worker?.sha === sha;
  });
}
