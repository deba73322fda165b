import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { ENDPOINTS, EXCHANGE_MODES } from '#core/account/account.ts';
import { accountId, decimalText, humanLabel, humanName, instant, ofAccount } from './fields.ts';
import { operation } from './operation.ts';

const keyStatus = z.object({
  label: z.string(),
  last4: z.string(),
  status: z.enum(['healthy', 'error']).nullable(),
  cause: z.string().nullable(),
  checkedAt: instant.nullable(),
});

export const account = z.object({
  id: accountId,
  name: z.string(),
  exchangeMode: z.enum(EXCHANGE_MODES),
  endpoint: z.enum(ENDPOINTS),
  /** When a reset of the exchange was found: no buys until the operator confirms it. */
  resetAt: instant.nullable(),
  createdAt: instant,
  apiKey: keyStatus.nullable(),
});

export const listAccounts = operation({
  method: 'GET',
  path: '/accounts',
  filtersAccounts: true,
  auth: 'session',
  status: 200,
  summary: 'All exchange accounts',
  response: z.object({ accounts: z.array(account) }),
});

export const createAccount = operation({
  method: 'POST',
  path: '/accounts',
  auth: 'session',
  status: 201,
  summary: 'Adds an account; mode and endpoint are fixed from then on',
  audit: 'account.create',
  body: z
    .strictObject({
      name: humanName,
      exchangeMode: z.enum(EXCHANGE_MODES),
      endpoint: z.enum(ENDPOINTS).default('exchange'),
    })
    .refine((body) => body.endpoint === 'exchange' || body.exchangeMode === 'testnet', {
      path: ['endpoint'],
      message: 'demo and paper require exchangeMode testnet',
    }),
  response: account,
});

export const readAccount = operation({
  method: 'GET',
  path: '/accounts/:id',
  ...ofAccount,
  status: 200,
  summary: 'One account',
  response: account,
});

export const renameAccount = operation({
  method: 'PATCH',
  path: '/accounts/:id',
  ...ofAccount,
  status: 200,
  summary: 'Renames an account',
  audit: 'account.rename',
  locks: ['account'],
  body: z.strictObject({ name: humanName }),
  response: account,
});

export const confirmReset = operation({
  method: 'POST',
  path: '/accounts/:id/confirm-reset',
  ...ofAccount,
  status: 200,
  summary: 'Confirms a reset of the exchange, so that the account buys again',
  audit: 'account.confirm-reset',
  response: account,
});

export const deleteAccount = operation({
  method: 'DELETE',
  path: '/accounts/:id',
  ...ofAccount,
  status: 204,
  summary: 'Deletes an account that has no profiles',
  audit: 'account.delete',
  locks: ['account-end'],
});

export const readApiKey = operation({
  method: 'GET',
  path: '/accounts/:id/api-key',
  ...ofAccount,
  status: 200,
  summary: 'State of the API key; the secret is never returned',
  response: keyStatus.nullable(),
});

export const saveApiKey = operation({
  method: 'PUT',
  path: '/accounts/:id/api-key',
  ...ofAccount,
  status: 200,
  summary: 'Stores an API key and has the worker check it',
  audit: 'api-key.save',
  body: z.strictObject({
    label: humanLabel.default(''),
    // It is sent as a header.
    apiKey: z
      .string()
      .trim()
      .min(8, 'is too short for an API key')
      .max(256)
      .regex(/^[!-~]*$/, 'holds a space or another character that no API key has: copy it again'),
    secret: z.string().trim().min(8, 'is too short for a secret').max(8192),
  }),
  response: keyStatus,
});

export const deleteApiKey = operation({
  method: 'DELETE',
  path: '/accounts/:id/api-key',
  ...ofAccount,
  status: 204,
  summary: 'Forgets the API key; the account stops trading',
  audit: 'api-key.delete',
});

export const verifyApiKey = operation({
  method: 'POST',
  path: '/accounts/:id/api-key/verify',
  ...ofAccount,
  status: 202,
  summary: 'Has the worker check the API key now',
  response: z.object({ jobId: z.string() }),
});

export const balance = z.object({
  asset: z.string(),
  free: decimalText,
  locked: decimalText,
  /** Value in the account's quote asset at cached prices; null when no price is cached. */
  value: decimalText.nullable(),
});

export const readWallet = operation({
  method: 'GET',
  path: '/accounts/:id/wallet',
  ...ofAccount,
  status: 200,
  summary: 'Balances as the worker last saw them; null before the first snapshot',
  response: z.object({ at: instantText, balances: z.array(balance) }).nullable(),
});
