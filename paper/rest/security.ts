import type { Account } from '#paper/exchange/accounts.ts';
import { type Params, readText, requireText } from './params.ts';
import { deny, malformed, RefusedError } from '#paper/exchange/refusal.ts';
import { isSignedBy } from './signatures.ts';

/** `none`: no key needed; `read` and `trade` are signed. */
export type Security = 'none' | 'read' | 'trade';

const API_KEY = /^[A-Za-z0-9_-]{1,128}$/;
const DEFAULT_WINDOW_MS = 5000;
const MAX_WINDOW_MS = 60_000;
const AHEAD_MS = 1000;
const WINDOW_RANGE = '^([0-9]{1,5})(\\.[0-9]{1,3})?$';

interface SignedRequest {
  readonly accounts: readonly Account[];
  readonly apiKey: string | undefined;
  readonly ip: string;
  readonly params: Params;
  /** The text that the signature must cover. */
  readonly text: string;
  readonly security: Exclude<Security, 'none'>;
  /** Protocol time. */
  readonly nowMs: number;
}

/** Checks key, address, permission, time window and signature, in this order. Returns the account of the key. */
export function requireAccount(request: SignedRequest): Account {
  const account = requireKey(request);
  requireWindow(request.params, request.nowMs);
  const signature = requireText(request.params, 'signature');
  if (!isSignedBy(account, request.text, signature)) deny(-1022, 'Signature for this request is not valid.');
  return account;
}

/** Checks only key, address and permission. */
export function requireKey(request: Pick<SignedRequest, 'accounts' | 'apiKey' | 'ip' | 'security'>): Account {
  const { accounts, apiKey, ip, security } = request;
  if (apiKey === undefined || !API_KEY.test(apiKey)) deny(-2014, 'API-key format invalid.', 401);
  const account = accounts.find((candidate) => candidate.apiKey === apiKey && !candidate.revoked);
  const address = ip.replace('::ffff:', '');
  const known = account !== undefined && (account.ipAllowList.length === 0 || account.ipAllowList.includes(address));
  const permitted = security === 'read' || account?.permissions.includes('SPOT') === true;
  if (!known || !permitted) deny(-2015, 'Invalid API-key, IP, or permissions for action.', 401);
  return account;
}

function requireWindow(params: Params, nowMs: number): void {
  const text = requireText(params, 'timestamp');
  if (!/^[0-9]{1,20}$/.test(text)) throw new RefusedError(malformed('timestamp', '^[0-9]{1,20}$'));
  const sentMs = text.length >= 16 ? Number(text) / 1000 : Number(text);
  const windowMs = readWindow(params);
  if (sentMs >= nowMs + AHEAD_MS) deny(-1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  if (nowMs - sentMs > windowMs) deny(-1021, 'Timestamp for this request is outside of the recvWindow.');
}

function readWindow(params: Params): number {
  const text = readText(params, 'recvWindow');
  if (text === undefined) return DEFAULT_WINDOW_MS;
  if (!new RegExp(WINDOW_RANGE).test(text)) throw new RefusedError(malformed('recvWindow', WINDOW_RANGE));
  const windowMs = Number(text);
  if (windowMs > MAX_WINDOW_MS)
    deny(-1102, `'recvWindow' contains unexpected value. Cannot be greater than ${MAX_WINDOW_MS}.`);
  return windowMs;
}
