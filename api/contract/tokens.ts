import { z } from 'zod';
import { TOKEN_SCOPES } from '#core/installation/token-scopes.ts';
import { positiveAmount } from '#core/text-fields.ts';
import { accountId, decimalText, humanName, instant, tokenId } from './fields.ts';
import { operation } from './operation.ts';

const scope = z.enum(TOKEN_SCOPES);

const token = z.object({
  id: tokenId,
  name: z.string(),
  /** The last six characters. */
  hint: z.string(),
  scopes: z.array(scope),
  /** Null: every account. */
  accountIds: z.array(accountId).nullable(),
  createdAt: instant,
  expiresAt: instant,
  /** Written at most once a minute. */
  lastUsedAt: instant.nullable(),
  lastIp: z.string().nullable(),
  revokedAt: instant.nullable(),
  /** Quote that approved proposals of the token may spend; null: they may not buy. */
  budget: z.object({ asset: z.string(), perOrder: decimalText, perDay: decimalText }).nullable(),
  maxOpenProposals: z.number(),
});

export const listTokens = operation({
  method: 'GET',
  path: '/tokens',
  auth: 'session',
  status: 200,
  summary: 'API tokens, newest first: expired and revoked ones too',
  response: z.object({ tokens: z.array(token) }),
});

export const createToken = operation({
  method: 'POST',
  path: '/tokens',
  auth: 'session',
  status: 201,
  summary: 'Creates an API token; its text is in this answer only',
  audit: 'token.create',
  body: z.strictObject({
    name: humanName,
    scopes: z.array(scope).min(1, 'is empty').max(TOKEN_SCOPES.length),
    /** Only these accounts and their profiles. Default: every account. */
    accountIds: z.array(accountId).min(1, 'is empty').max(100).optional(),
    /** Valid for this many days. */
    days: z.number().int().min(1).max(366).default(90),
    /** Quote that approved proposals may spend, on one order and in 24 hours. Default: they may not buy. */
    budget: z
      .strictObject({
        asset: z.string().regex(/^[A-Z0-9]{1,20}$/, 'is not an asset such as USDT'),
        perOrder: positiveAmount,
        perDay: positiveAmount,
      })
      .optional(),
    maxOpenProposals: z.number().int().min(1).max(50).default(5),
  }),
  response: z.object({ id: tokenId, token: z.string(), expiresAt: instant }),
});

export const revokeToken = operation({
  method: 'DELETE',
  path: '/tokens/:id',
  auth: 'session',
  status: 204,
  summary: 'Revokes an API token; the next request with it is refused',
  audit: 'token.revoke',
  params: z.object({ id: tokenId }),
});

export const revokeAllTokens = operation({
  method: 'POST',
  path: '/tokens/revoke-all',
  auth: 'session',
  status: 200,
  summary: 'Revokes every API token',
  audit: 'token.revoke-all',
  response: z.object({ revoked: z.number() }),
});
