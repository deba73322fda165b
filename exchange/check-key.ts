import { ORDER_TIMING } from '#core/order/order-timing.ts';
import type { ExchangeClock } from '#core/ports/exchange.ts';
import { type ErrorReason, ExchangeError } from './errors.ts';
import { createOrderBudget, type RateLimiter, rateLimiterFor } from './limits.ts';
import { parseAccount } from '#exchange/parse/account.ts';
import { type KeyRestrictions, parseKeyRestrictions } from '#exchange/parse/key-restrictions.ts';
import { readSigned, type SignedLink } from './signed-call.ts';
import { createSigner, KeyFormatError } from './signing.ts';
import { createTransport } from './transport.ts';

/** `null`: no definite result, so that the stored status stays. */
export type KeyHealth =
  /** `unchecked` names the checks that this venue does not offer; null when everything was checked. */
  | { readonly status: 'healthy'; readonly unchecked: string | null }
  | { readonly status: 'error'; readonly cause: string }
  | { readonly status: null };

interface KeyCheckOptions {
  readonly restUrl: string;
  readonly apiKey: string;
  readonly secret: string;
  /** The clock of the same venue's market reader. */
  readonly clock: ExchangeClock;
  /** Only the live exchange reports the permissions of a key; the other venues have no such endpoint. */
  readonly live: boolean;
  /** By default the limiters of this process. */
  readonly limiter?: RateLimiter;
}

const CAUSES: Partial<Record<ErrorReason, string>> = {
  'key-malformed':
    'The exchange does not know an API key of this form: it was pasted incompletely, or it belongs to another venue.',
  'key-refused':
    'The exchange refuses the key for one of three causes: it lacks the permission, this address is not on its IP allow-list, or it is revoked or expired.',
  'bad-signature': 'The secret does not belong to the key: paste both again.',
};
const MAY_WITHDRAW =
  'The key is allowed to withdraw. Trading never needs that, so such a key is refused: turn withdrawals off at the exchange, then check again.';
const MAY_NOT_TRADE =
  'The key lacks a permission: spot trading is turned off for it. Turn it on at the exchange, then check again.';
const MAY_NOT_READ =
  'The key lacks a permission: reading is turned off for it. Turn it on at the exchange, then check again.';
const NOT_PERMITTED =
  'The key lacks a permission: the exchange accepts it from this address, but not for this account.';
const ACCOUNT_BARRED = 'The exchange does not let this account trade, whatever permissions its key has.';
const NOT_ALLOWED =
  'The exchange does not allow trading: the key lacks the permission for spot trading, or the account may not trade. Turn spot trading on for the key at the exchange, then check again.';
const UNCHECKED =
  'The withdrawal permission of the key was not checked: only the live exchange reports the permissions of its keys.';

const failed = (cause: string): KeyHealth => ({ status: 'error', cause });

/**
 * Reads the permissions of the key (live only) and the account. Only a definite answer of the exchange about the key
 * gives a result; faults of network, limits and clock do not. Never throws for a failed call.
 */
export async function checkKey(options: KeyCheckOptions): Promise<KeyHealth> {
  try {
    return await check(options);
  } catch (error) {
    if (error instanceof KeyFormatError) return failed(error.message);
    if (!(error instanceof ExchangeError)) throw error;
    const cause =
      CAUSES[error.reason] ?? (error.status === 401 && error.code !== null ? CAUSES['key-refused'] : undefined);
    return cause === undefined ? { status: null } : failed(cause);
  }
}

async function check(options: KeyCheckOptions): Promise<KeyHealth> {
  const { restUrl, clock } = options;
  const signer = createSigner(options);
  const linkTo = (limiter: RateLimiter): SignedLink => ({
    transport: createTransport(restUrl, limiter),
    signer,
    clock,
    orders: createOrderBudget(),
    timing: ORDER_TIMING,
  });
  if (options.live) {
    // These calls have a separate weight limit, so they do not count in the limiter of trading.
    const refusal = refusalOf(await readRestrictions(linkTo(options.limiter ?? rateLimiterFor(restUrl, 'sapi'))));
    if (refusal !== undefined) return failed(refusal);
  }
  const account = await readAccount(linkTo(options.limiter ?? rateLimiterFor(restUrl)), options.live);
  if (account === 'not-permitted') return failed(NOT_PERMITTED);
  // At this point only the live exchange has reported that the key itself may trade.
  if (!account.canTrade) return failed(options.live ? ACCOUNT_BARRED : NOT_ALLOWED);
  return { status: 'healthy', unchecked: options.live ? null : UNCHECKED };
}

const readRestrictions = async (link: SignedLink): Promise<KeyRestrictions> =>
  parseKeyRestrictions(
    await readSigned(link, { path: '/sapi/v1/account/apiRestrictions', params: {}, priority: 'query', weight: 1 }),
  );

function refusalOf(restrictions: KeyRestrictions): string | undefined {
  if (restrictions.enableWithdrawals) return MAY_WITHDRAW;
  if (!restrictions.enableReading) return MAY_NOT_READ;
  return restrictions.enableSpotAndMarginTrading ? undefined : MAY_NOT_TRADE;
}

async function readAccount(link: SignedLink, accepted: boolean): Promise<{ canTrade: boolean } | 'not-permitted'> {
  const params = { omitZeroBalances: 'true' };
  try {
    return parseAccount(await readSigned(link, { path: '/api/v3/account', params, priority: 'query', weight: 20 }));
  } catch (error) {
    // The exchange has just accepted the key from this address: only its permissions remain as the cause.
    if (accepted && error instanceof ExchangeError && error.reason === 'key-refused') return 'not-permitted';
    throw error;
  }
}
