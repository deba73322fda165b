import { sql } from 'kysely';
import type { AccountId, ProfileId, TokenId, UserId } from '#core/ids.ts';
import type { ActionState } from '#core/order/operator-action.ts';
import type { Reader, Transaction } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

/** The proposal of a token; `quote` is the most that a buy may cost in `quoteAsset`, null for a sale. */
interface NewProposal {
  readonly id: string;
  readonly tokenId: TokenId;
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly kind: 'manual-order';
  readonly payload: unknown;
  readonly intentHash: Buffer;
  readonly quoteAsset: string;
  readonly quote: string | null;
  readonly reason: string;
  /** The action that judges the order without placing it. */
  readonly previewId: string;
  readonly validSeconds: number;
}

/** State and outcome of an action, as an operator reads it. */
interface Outcome {
  readonly id: string;
  readonly state: ActionState;
  readonly reason: string | null;
  readonly detail: unknown;
}

/** Throws the refusal of the schema (storage/trading/proposal-refusal.ts) when the token may not propose it. */
export async function insertProposal(transaction: Transaction, proposal: NewProposal): Promise<void> {
  const { tokenId, accountId, profileId, payload, intentHash, quoteAsset, previewId, validSeconds } = proposal;
  const { id, symbol, kind, quote, reason } = proposal;
  await transaction
    .insertInto('proposals')
    .values({
      ...{ id, symbol, kind, quote, reason },
      token_id: tokenId,
      account_id: accountId,
      profile_id: profileId,
      payload: jsonText(payload),
      intent_hash: intentHash,
      quote_asset: quoteAsset,
      preview_id: previewId,
      expires_at: sql<Date>`clock_timestamp() + ${validSeconds} * interval '1 second'`,
    })
    .execute();
}

/** The newest proposals of a user, or one of them; `tokenId` limits it to those of a token. */
export const listProposals = (
  database: Reader,
  { userId, ...only }: { userId: UserId; tokenId?: TokenId | undefined; id?: string; limit: number },
) =>
  withOutcomes(database)
    .where('api_tokens.user_id', '=', userId)
    .$if(only.tokenId !== undefined, (query) => query.where('proposals.token_id', '=', only.tokenId ?? null))
    .$if(only.id !== undefined, (query) => query.where('proposals.id', '=', only.id ?? null))
    .orderBy('proposals.proposed_at', 'desc')
    .orderBy('proposals.id', 'desc')
    .limit(only.limit)
    .execute();

const withOutcomes = (database: Reader) =>
  database
    .selectFrom('proposals')
    .innerJoin('api_tokens', 'api_tokens.id', 'proposals.token_id')
    .select(['proposals.id', 'proposals.account_id as accountId', 'proposals.profile_id as profileId'])
    .select(['proposals.symbol', 'proposals.kind', 'proposals.payload', 'proposals.reason'])
    .select(['proposals.intent_hash as intentHash', 'proposals.quote', 'proposals.quote_asset as quoteAsset'])
    .select(['proposals.proposed_at as proposedAt', 'proposals.expires_at as expiresAt'])
    .select(['proposals.decided_at as decidedAt', 'proposals.token_id as tokenId', 'api_tokens.name as tokenName'])
    .select(
      sql<'open' | 'approved' | 'denied' | 'cancelled' | 'expired'>`case when proposals.state = 'open'
        and proposals.expires_at <= clock_timestamp() then 'expired' else proposals.state end`.as('state'),
    )
    .select([outcomeOf('preview', 'id = proposals.preview_id'), outcomeOf('action', 'proposal_id = proposals.id')]);

/** An action that was not claimed in time reads as expired, even while no worker runs. */
const outcomeOf = <const Name extends string>(name: Name, condition: string) =>
  sql<Outcome | null>`(select jsonb_build_object('id', id, 'reason', reason, 'detail', detail, 'state',
    case when state = 'pending' and operator_actions.expires_at <= clock_timestamp() then 'expired' else state end)
    from operator_actions where ${sql.raw(`operator_actions.${condition}`)})`.as(name);

/**
 * Decides an open proposal that has not expired; `hash` limits it to that intent, `tokenId` to that token. Returns false when
 * it was none. An approval is committed together with its action, or not at all.
 */
export async function decideProposal(
  transaction: Transaction,
  { id, userId, ...only }: { id: string; userId: UserId; hash?: Buffer; tokenId?: TokenId | undefined },
  state: 'approved' | 'denied' | 'cancelled',
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('proposals')
    .set({ state, decided_at: sql<Date>`clock_timestamp()`, decided_by: state === 'cancelled' ? null : userId })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where(sql<boolean>`expires_at > clock_timestamp()`)
    .$if(only.hash !== undefined, (update) => update.where('intent_hash', '=', only.hash ?? null))
    .$if(only.tokenId !== undefined, (update) => update.where('token_id', '=', only.tokenId ?? null))
    .where(
      sql<boolean>`exists (select from api_tokens as held where held.id = token_id and held.user_id = ${userId}
        and (${state} <> 'approved' or held.revoked_at is null and held.expires_at > clock_timestamp()))`,
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
