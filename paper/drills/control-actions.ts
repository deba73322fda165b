import { z } from 'zod';
import { type Decimal, formatDecimal, isOnStep } from '#core/amount/decimal.ts';
import { amount } from '#paper/exchange/accounts.ts';
import { PREVENTION_MODES } from '#paper/market/order-types.ts';
import { PROFILES } from '#paper/rest/profiles.ts';
import type { RestContext } from '#paper/rest/rest.ts';
import type { Sockets } from '#paper/sockets/sockets.ts';
import { snapshotOf } from '#paper/rest/rest-market.ts';
import { marketNow, type Venue, wipeVenue } from '#paper/exchange/venue.ts';
import { revokeAccount } from '#paper/sockets/ws-session.ts';

/** The parts that test controls change: the market, keys, bans, the environment and connections. */
export interface ControlTargets {
  readonly venue: Venue;
  readonly context: RestContext;
  readonly sockets: Sockets;
}

/** A request that cannot be executed; answered with status 400. */
export class ControlError extends Error {}

/** A multiple or a price; null for none. */
const bound = amount.nullable();
export const symbolChange = z.object({
  symbol: z.string(),
  status: z.enum(['TRADING', 'HALT', 'BREAK', 'CANCEL_ONLY']).optional(),
  lacks: z.array(z.string()).optional(),
  preventions: z.array(z.enum(PREVENTION_MODES)).optional(),
  permissions: z.array(z.string()).optional(),
  range: z.object({ bidUp: bound, bidDown: bound, askUp: bound, askDown: bound }).optional(),
  reference: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('none') }),
      z.object({ kind: z.literal('mean'), bucketCount: z.int().min(1), bucketWidthMs: z.int().min(1) }),
      z.object({ kind: z.literal('external'), id: z.int(), price: bound, atMs: z.int() }),
    ])
    .optional(),
  tick: amount.optional(),
  step: amount.optional(),
});
export const keyChange = z.object({
  account: z.string(),
  permissions: z.array(z.string()).optional(),
  ipAllowList: z.array(z.string()).optional(),
  canWithdraw: z.boolean().optional(),
  revoked: z.boolean().optional(),
  canTrade: z.boolean().optional(),
  restrictedSymbols: z.array(z.string()).optional(),
});
export const banRequest = z.object({ ip: z.string().optional(), ms: z.number().min(1) });
export const profileChange = z.object({ profile: z.enum(PROFILES) });
export const depthChange = z.object({ symbol: z.string(), stale: z.boolean() });
/** Market time for which queries do not return a new order, although its events have been sent. */
export const readChange = z.object({ orderLagMs: z.number().min(0) });
export const silence = z.object({ silent: z.boolean() });

export function changeSymbol({ venue: { markets } }: ControlTargets, change: z.output<typeof symbolChange>): unknown {
  const market = markets.get(change.symbol);
  if (market === undefined) throw new ControlError(`${change.symbol} is not listed.`);
  market.status = change.status ?? market.status;
  const { terms } = market;
  const { price, lot } = market.listing.rules;
  requireCoarser('tick', price.tick, change.tick);
  requireCoarser('step', lot.step, change.step);
  terms.tick = change.tick ?? terms.tick;
  terms.step = change.step ?? terms.step;
  terms.lacks = change.lacks ?? terms.lacks;
  terms.preventions = change.preventions ?? terms.preventions;
  terms.permissions = change.permissions ?? terms.permissions;
  terms.range = change.range ?? terms.range;
  terms.reference = change.reference ?? terms.reference;
  return {};
}

/** Existing orders and trades are on the grid of the listing: a new grid may only be coarser. */
function requireCoarser(name: string, listed: Decimal, wanted: Decimal | undefined): void {
  if (wanted === undefined || (wanted > 0n && isOnStep(wanted, listed))) return;
  throw new ControlError(`${name} must be a multiple of ${formatDecimal(listed)}.`);
}

/** Changes the permissions of a key. A key without read permission loses its sessions. */
export function changeKey(
  { context: { accounts }, sockets }: ControlTargets,
  change: z.output<typeof keyChange>,
): unknown {
  const account = accounts.find((candidate) => candidate.name === change.account);
  if (account === undefined) throw new ControlError(`There is no account "${change.account}".`);
  account.permissions = change.permissions ?? account.permissions;
  account.ipAllowList = change.ipAllowList ?? account.ipAllowList;
  account.canWithdraw = change.canWithdraw ?? account.canWithdraw;
  account.revoked = change.revoked ?? account.revoked;
  account.canTrade = change.canTrade ?? account.canTrade;
  account.restrictedSymbols = change.restrictedSymbols ?? account.restrictedSymbols;
  for (const session of sockets.sessions) {
    const isShutOut = account.ipAllowList.length > 0 && !account.ipAllowList.includes(session.ip);
    if (account.revoked || isShutOut) revokeAccount(session, account.apiKey);
  }
  return {};
}

export function banAddress({ context: { limits } }: ControlTargets, { ip, ms }: z.output<typeof banRequest>): unknown {
  const untilMs = Date.now() + ms;
  limits.ban(ip, untilMs);
  return { untilMs };
}

/** Freezes the answers for a coin's book at the current book, or unfreezes them. */
export function freezeDepth({ venue }: ControlTargets, { symbol, stale }: z.output<typeof depthChange>): unknown {
  const market = marketNow(venue, symbol);
  if (market === undefined) throw new ControlError(`${symbol} is not listed.`);
  venue.testControls.staleDepth.delete(symbol);
  if (stale) venue.testControls.staleDepth.set(symbol, snapshotOf(venue, market));
  return {};
}

export function changeProfile(
  { context: { environment } }: ControlTargets,
  { profile }: z.output<typeof profileChange>,
): unknown {
  environment.profile = profile;
  return environment;
}

/** The reset that test environments have now and then. Only keys stay; every connection is dropped. */
export function wipe({ venue, context: { environment }, sockets }: ControlTargets): unknown {
  if (environment.profile === 'live')
    throw new ControlError('The live profile cannot be wiped: set the profile testnet or demo first.');
  wipeVenue(venue);
  return { dropped: sockets.drop() };
}
