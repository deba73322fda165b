import { isObject } from '#core/merge.ts';
import { API_ROOT, requestOf } from '#api/client.ts';
import type { Operation } from '#api/contract/operation.ts';
import { listAccountNotifiers } from '#api/contract/account-notifiers.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import { readOrderTerms } from '#api/contract/manual.ts';
import { readCoinDay } from '#api/contract/overview.ts';
import { listPriceAlerts } from '#api/contract/price-alerts.ts';
import { listCoins, listProfiles, listStrategies, readCoin, readProfile } from '#api/contract/profiles.ts';
import { listProposals } from '#api/contract/proposals.ts';
import { READS_LIMITS, readTogether } from '#api/contract/reads.ts';
import { listLogs, readDashboard } from '#api/contract/records.ts';
import { currentSession, onboarding } from '#api/contract/session.ts';
import { listEquity } from '#api/contract/trades.ts';

/** Reads that a page starts at the same time. Slow ones are not among them: the others would wait for their answer. */
const SHARED: ReadonlySet<Operation> = new Set<Operation>([
  ...[onboarding, currentSession, readDashboard, readKillSwitch, listProposals, listAccounts],
  ...[listAccountNotifiers, listPriceAlerts, listProfiles, readProfile, listCoins, listStrategies, listEquity],
  ...[readCoin, readCoinDay, readOrderTerms, listLogs],
]);

/** Whether reads of an operation share a request. */
export const isShared = (op: Operation): boolean => SHARED.has(op);

/** The parts of a response that its reader uses. */
export type Reply = Pick<Response, 'ok' | 'status' | 'headers' | 'json' | 'text'>;

interface Waiting {
  readonly address: string;
  readonly init: RequestInit;
  readonly resolve: (reply: Reply | Promise<Reply>) => void;
  readonly reject: (reason: unknown) => void;
}

let waiting: Waiting[] = [];

/** Like `fetch` for a GET of the API, in one request with those that start in the same task. */
export function fetchShared(address: string, init: RequestInit): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  if (waiting.length === 0) setTimeout(sendWaiting, 0);
  waiting.push({ address, init, resolve, reject });
  return promise;
}

const pathOf = ({ address }: Waiting): string => address.slice(API_ROOT.length).replaceAll(',', '%2C');
const tagOf = ({ init }: Waiting): string => new Headers(init.headers).get('if-none-match') ?? '';
const isCancelled = ({ init }: Waiting): boolean => init.signal?.aborted === true;

function sendWaiting(): void {
  const all = waiting;
  waiting = [];
  let group: Waiting[] = [];
  let length = 0;
  for (const read of all.filter((one) => !isCancelled(one))) {
    const own = pathOf(read).length + 1;
    if (group.length === READS_LIMITS.paths || length + own > READS_LIMITS.characters) {
      sendGroup(group);
      [group, length] = [[], 0];
    }
    group.push(read);
    length += own;
  }
  sendGroup(group);
  for (const read of all.filter(isCancelled)) read.reject(read.init.signal?.reason);
}

function sendGroup(group: readonly Waiting[]): void {
  const [first] = group;
  if (first === undefined) return;
  if (group.length === 1) first.resolve(fetch(first.address, first.init));
  else void sendTogether(group).catch((reason: unknown) => rejectAll(group, reason));
}

const rejectAll = (group: readonly Waiting[], reason: unknown): void => {
  for (const read of group) read.reject(reason);
};

/** A cancelled read ends at once; the request ends early when all of its reads are cancelled. */
async function sendTogether(group: readonly Waiting[]): Promise<void> {
  const cancel = new AbortController();
  for (const read of group)
    read.init.signal?.addEventListener('abort', () => {
      read.reject(read.init.signal?.reason);
      if (group.every(isCancelled)) cancel.abort();
    });
  const query = { paths: group.map(pathOf).join(','), tags: group.map(tagOf).join(',') };
  const { address, init } = requestOf(readTogether, { query });
  const response = await fetch(address, { ...init, credentials: 'same-origin', signal: cancel.signal });
  const replies = response.ok ? repliesOf(await response.json()) : group.map(() => response.clone());
  for (const [i, read] of group.entries()) {
    const reply = replies[i];
    if (reply === undefined) read.reject(new Error('The answer of a read is missing.'));
    else read.resolve(reply);
  }
}

const repliesOf = (answer: unknown): Reply[] =>
  isObject(answer) && Array.isArray(answer['answers']) ? answer['answers'].filter(isObject).map(replyOf) : [];

function replyOf({ status, tag, body }: Readonly<Record<string, unknown>>): Reply {
  return {
    ok: Number(status) >= 200 && Number(status) < 300,
    status: Number(status),
    headers: new Headers(typeof tag === 'string' ? { etag: tag } : {}),
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(JSON.stringify(body)),
  };
}
