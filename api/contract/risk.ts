import { z } from 'zod';
import { RISK_SCOPES, riskLimits } from '#core/account/risk.ts';
import { accountId, instant, profileId, symbolName } from './fields.ts';
import { operation } from './operation.ts';
import { coin } from './profiles.ts';

const amountOrText = z.union([z.string(), z.number()]);

/** Usage of each limit that is set. `sentence` says why a limit blocks buys, `until` when that ends automatically. */
export const riskState = z.object({
  limits: riskLimits,
  standings: z.array(
    z.object({
      scope: z.enum(RISK_SCOPES),
      limit: z.string(),
      used: amountOrText,
      most: amountOrText,
      blocked: z.boolean(),
      until: instant.nullable(),
      sentence: z.string().nullable(),
    }),
  ),
});

const read = { method: 'GET', auth: 'session', status: 200, response: riskState } as const;
const write = { ...read, method: 'PATCH', body: riskLimits.partial() } as const;
const accountPath = { path: '/accounts/:id/risk', params: z.object({ id: accountId }) } as const;
const profilePath = { path: '/profiles/:id/risk', params: z.object({ id: profileId }) } as const;

export const readAccountRisk = operation({ ...read, ...accountPath, summary: 'Risk limits of an account' });
export const changeAccountRisk = operation({ ...write, ...accountPath, summary: 'Changes the given limits' });
export const readProfileRisk = operation({
  ...read,
  ...profilePath,
  summary: 'Risk limits of a profile; the usage includes those of its account',
});
export const changeProfileRisk = operation({ ...write, ...profilePath, summary: 'Changes the given limits' });

const ofCoin = {
  method: 'POST',
  auth: 'session',
  status: 200,
  params: z.object({ id: profileId, symbol: symbolName }),
  response: coin,
} as const;
export const pauseCoin = operation({
  ...ofCoin,
  path: '/profiles/:id/symbols/:symbol/pause',
  summary: 'Pauses buys of the coin until that time; exits continue',
  body: z.strictObject({ until: instant, reason: z.string().trim().max(200).default('') }),
});
export const resumeCoin = operation({
  ...ofCoin,
  path: '/profiles/:id/symbols/:symbol/resume',
  summary: 'Ends the pause of a coin',
});
