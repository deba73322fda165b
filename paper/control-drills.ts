import { z } from 'zod';
import { type Account, amount } from './accounts.ts';
import type { Limits } from './limits.ts';
import type { SymbolMarket } from './market/symbol-market.ts';
import { PREVENTION_MODES } from './order.ts';
import type { Sockets } from './sockets.ts';
import { revokeAccount } from './ws-session.ts';

/** What drills change beside the market: keys, bans, connections and the status of coins. */
export interface DrillParts {
  readonly accounts: readonly Account[];
  readonly markets: ReadonlyMap<string, SymbolMarket>;
  readonly limits: Limits;
  readonly sockets: Sockets;
}

/** A request that cannot be done as asked; answered with status 400. */
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
export const silence = z.object({ silent: z.boolean() });

export function changeSymbol({ markets }: DrillParts, change: z.output<typeof symbolChange>): unknown {
  const market = markets.get(change.symbol);
  if (market === undefined) throw new ControlError(`${change.symbol} is not listed.`);
  market.status = change.status ?? market.status;
  const { terms } = market;
  terms.lacks = change.lacks ?? terms.lacks;
  terms.preventions = change.preventions ?? terms.preventions;
  terms.permissions = change.permissions ?? terms.permissions;
  terms.range = change.range ?? terms.range;
  terms.reference = change.reference ?? terms.reference;
  return {};
}

/** Changes what a key may do; one that may not read any more loses its sessions. */
export function changeKey({ accounts, sockets }: DrillParts, change: z.output<typeof keyChange>): unknown {
  const account = accounts.find((one) => one.name === change.account);
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

export function banAddress({ limits }: DrillParts, { ip, ms }: z.output<typeof banRequest>): unknown {
  const untilMs = Date.now() + ms;
  limits.ban(ip, untilMs);
  return { untilMs };
}
