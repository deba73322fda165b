import type { Account } from '#paper/exchange/accounts.ts';
import { finishParams, type Params, readInteger, readText } from '#paper/rest/params.ts';
import { deny } from '#paper/exchange/refusal.ts';
import type { RestContext } from '#paper/rest/rest.ts';
import { requireAccount, requireKey } from '#paper/rest/security.ts';
import { signedParams } from '#paper/rest/signatures.ts';
import type { TimeUnit } from '#paper/rest/time-unit.ts';
import type { UserStreams, UserSubscription } from '#paper/streams/user-streams.ts';

const MOST_ACTIVE = 1000;
const MOST_PER_LIFE = 65_535;

/** A subscription; `byLogon` if it belongs to the logged-on account. */
interface SessionSubscription extends UserSubscription {
  readonly byLogon: boolean;
}

/** One connection of the WebSocket API: its logged-on account and its subscriptions. */
export interface Session {
  readonly context: RestContext;
  readonly users: UserStreams;
  readonly ip: string;
  readonly connectedMs: number;
  readonly returnRateLimits: boolean;
  readonly unit: TimeUnit;
  readonly subscriptions: Map<number, SessionSubscription>;
  lastSubscriptionId: number;
  loggedOn: { readonly account: Account; readonly sinceMs: number } | undefined;
  send(frame: string): void;
}

/** The account of a signed call: by its own key and signature, or the logged-on account (timestamp still required). */
export function authorize(session: Session, params: Params, security: 'read' | 'trade'): Account {
  const apiKey = readText(params, 'apiKey');
  const { accounts } = session.context;
  readText(params, 'recvWindow');
  if (apiKey === undefined && session.loggedOn !== undefined) {
    readText(params, 'timestamp');
    return requireKey({ accounts, apiKey: session.loggedOn.account.apiKey, ip: session.ip, security });
  }
  const text = signedParams(params.values);
  return requireAccount({ accounts, apiKey, ip: session.ip, params, text, security, nowMs: Date.now() });
}

/** The operations that exist only on a connection. */
export function performSession(session: Session, method: string, params: Params): unknown {
  switch (method) {
    case 'session.logon':
      return logOn(session, params);
    case 'session.status':
      finishParams(params);
      return describeSession(session);
    case 'session.logout':
      finishParams(params);
      return logOut(session);
    case 'session.subscriptions':
      finishParams(params);
      return [...session.subscriptions.keys()].map((subscriptionId) => ({ subscriptionId }));
    case 'userDataStream.subscribe.signature': {
      const account = authorize(session, params, 'read');
      finishParams(params);
      return openSubscription(session, account, false);
    }
    case 'userDataStream.subscribe': {
      finishParams(params);
      const account = session.loggedOn?.account;
      return account === undefined
        ? deny(-2015, 'Invalid API-key, IP, or permissions for action.', 401)
        : openSubscription(session, account, true);
    }
    case 'userDataStream.unsubscribe':
      return unsubscribe(session, params);
    default:
      return deny(-1020, 'This operation is not supported.');
  }
}

function logOn(session: Session, params: Params): unknown {
  const account = authorize(session, params, 'read');
  finishParams(params);
  if (account.key.kind !== 'ed25519') deny(-1020, 'This operation is not supported.');
  session.loggedOn = { account, sinceMs: Date.now() };
  return describeSession(session);
}

/** Ends only the subscription of the logged-on account. */
function logOut(session: Session): unknown {
  closeSubscriptions(session, (subscription) => subscription.byLogon);
  session.loggedOn = undefined;
  return describeSession(session);
}

const describeSession = (session: Session): Record<string, unknown> => ({
  apiKey: session.loggedOn?.account.apiKey ?? null,
  authorizedSince: session.loggedOn?.sinceMs ?? null,
  connectedSince: session.connectedMs,
  returnRateLimits: session.returnRateLimits,
  serverTime: Date.now(),
  userDataStream: [...session.subscriptions.values()].some((subscription) => subscription.byLogon),
});

function openSubscription(session: Session, account: Account, byLogon: boolean): { subscriptionId: number } {
  const active = [...session.subscriptions.values()];
  if (active.some((subscription) => subscription.account === account.name))
    deny(-2035, 'User data stream subscription is already active.');
  const id = session.lastSubscriptionId + 1;
  if (active.length >= MOST_ACTIVE || id >= MOST_PER_LIFE)
    deny(-2042, 'The maximum number of subscription ids of this connection is reached.');
  session.lastSubscriptionId = id;
  const subscription = {
    account: account.name,
    id,
    byLogon,
    unit: session.unit,
    send: (frame: string) => session.send(frame),
  };
  session.subscriptions.set(id, subscription);
  session.users.add(subscription);
  return { subscriptionId: id };
}

function unsubscribe(session: Session, params: Params): unknown {
  const id = readInteger(params, 'subscriptionId');
  finishParams(params);
  if (id !== undefined && !session.subscriptions.has(id)) deny(-2036, 'User data stream subscription is not active.');
  closeSubscriptions(session, (subscription) => id === undefined || subscription.id === id);
  return {};
}

/** Ends subscriptions. Each gets a last event. */
function closeSubscriptions(session: Session, isClosing: (subscription: SessionSubscription) => boolean): void {
  for (const subscription of [...session.subscriptions.values()].filter(isClosing)) {
    session.subscriptions.delete(subscription.id);
    session.users.remove(subscription);
    const event = { e: 'eventStreamTerminated', E: Date.now() };
    // The answer to the request comes before the event.
    setImmediate(() => session.send(JSON.stringify({ subscriptionId: subscription.id, event })));
  }
}

/** Ends all sessions and subscriptions of an account whose key was revoked. Sends the events unprompted. */
export function revokeAccount(session: Session, apiKey: string): void {
  const account = session.context.accounts.find((candidate) => candidate.apiKey === apiKey);
  closeSubscriptions(session, (subscription) => subscription.account === account?.name);
  if (session.loggedOn?.account.apiKey !== apiKey) return;
  session.loggedOn = undefined;
  const error = { code: -2015, msg: 'Invalid API-key, IP, or permissions for action.' };
  session.send(JSON.stringify({ id: null, status: 401, error }));
}
