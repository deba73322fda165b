import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { RISK_SCOPES, riskLimits } from '#core/account/risk.ts';
import { instant, ofAccount, ofCoin, ofProfile } from './fields.ts';
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

const read = { method: 'GET', status: 200, response: riskState } as const;
const write = { ...read, method: 'PATCH', audit: 'risk.change', body: riskLimits.partial() } as const;
const accountRisk = { ...ofAccount, path: '/accounts/:id/risk' } as const;
const profileRisk = { ...ofProfile, path: '/profiles/:id/risk' } as const;

export const readAccountRisk = operation({ ...read, ...accountRisk, summary: 'Risk limits of an account' });
export const changeAccountRisk = operation({ ...write, ...accountRisk, summary: 'Changes the given limits' });
export const readProfileRisk = operation({
  ...read,
  ...profileRisk,
  summary: 'Risk limits of a profile; the usage includes those of its account',
});
export const changeProfileRisk = operation({ ...write, ...profileRisk, summary: 'Changes the given limits' });

const pausing = { ...ofCoin, method: 'POST', status: 200, locks: ['intents', 'profile'], response: coin } as const;
export const pauseCoin = operation({
  ...pausing,
  path: '/profiles/:id/symbols/:symbol/pause',
  need: 'trade',
  summary: 'Pauses buys of the coin until that time; exits continue',
  audit: 'coin.pause',
  body: z.strictObject({ until: instantText, reason: z.string().trim().max(200).default('') }),
});
export const resumeCoin = operation({
  ...pausing,
  path: '/profiles/:id/symbols/:symbol/resume',
  summary: 'Ends the pause of a coin',
  audit: 'coin.resume',
});
