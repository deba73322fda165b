import { sql } from 'kysely';
import { type Advice, type AdvisorSlot, advice, NO_ADVICE } from '#core/research/advice.ts';
import type { AiProviderName, CredentialKind } from '#core/installation/ai-provider.ts';
import { newId, type UserId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

export interface StoredAiProvider {
  readonly provider: AiProviderName;
  readonly baseUrl: string;
  readonly model: string;
  readonly credential: { readonly kind: CredentialKind; readonly value: string } | null;
  readonly updatedAt: Date;
}

export async function readAiProvider(reader: Reader, userId: UserId): Promise<StoredAiProvider | undefined> {
  const row = await reader
    .selectFrom('ai_provider_config')
    .select(['provider', 'base_url as baseUrl', 'model', 'credential_kind as kind', 'credential as value'])
    .select('updated_at as updatedAt')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { kind, value, ...rest } = row;
  return { ...rest, credential: kind === null || value === null ? null : { kind, value } };
}

export async function saveAiProvider(
  writer: Writer,
  userId: UserId,
  { provider, baseUrl, model, credential }: Omit<StoredAiProvider, 'updatedAt'>,
): Promise<void> {
  const secret = { credential_kind: credential?.kind ?? null, credential: credential?.value ?? null };
  const row = { provider, base_url: baseUrl, model, ...secret, updated_at: sql<Date>`now()` };
  await writer
    .insertInto('ai_provider_config')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
}

export async function deleteAiProvider(writer: Writer, userId: UserId): Promise<void> {
  await writer.deleteFrom('ai_provider_config').where('user_id', '=', userId).execute();
}

export interface Question {
  readonly runId: string;
  readonly slot: AdvisorSlot;
  readonly askId: string;
}

const COLUMNS = [
  'slot',
  'state',
  'model',
  'advice',
  'error',
  'asked_at as askedAt',
  'finished_at as finishedAt',
] as const;
/** A question times out after this time, even when its job was lost with a restored backup. */
const TIMEOUT_AT = sql<Date>`now() - interval '15 minutes'`;

export const listSlots = (reader: Reader, runId: string) =>
  reader.selectFrom('backtest_advisor_slots').select(COLUMNS).where('run_id', '=', runId).orderBy('slot').execute();
export type SlotRow = Awaited<ReturnType<typeof listSlots>>[number];

/** Starts a question in its slot; undefined while an earlier one is still running. */
export async function startQuestion(writer: Writer, runId: string, slot: AdvisorSlot) {
  const begun = {
    ...{ ask_id: newId<string>(), state: 'running' as const, taken_at: null, model: null, error: null },
    ...{ advice: '{}', asked_at: sql<Date>`now()`, finished_at: null },
  };
  const row = await writer
    .insertInto('backtest_advisor_slots')
    .values({ run_id: runId, slot, ...begun })
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'slot'])
        .doUpdateSet(begun)
        .where((where) =>
          where.or([
            where('backtest_advisor_slots.state', '<>', 'running'),
            where('backtest_advisor_slots.asked_at', '<', TIMEOUT_AT),
          ]),
        ),
    )
    .returning([...COLUMNS, 'ask_id as askId'])
    .executeTakeFirst();
  return row;
}

const updateQuestion = (writer: Writer, { runId, slot, askId }: Question) =>
  writer
    .updateTable('backtest_advisor_slots')
    .where('run_id', '=', runId)
    .where('slot', '=', slot)
    .where('ask_id', '=', askId)
    .where('state', '=', 'running');

/** True for the first caller that claims a question: it is never sent twice. */
export async function claimQuestion(writer: Writer, ask: Question): Promise<boolean> {
  const query = updateQuestion(writer, ask).where('taken_at', 'is', null);
  const taken = await query.set({ taken_at: sql<Date>`now()` }).executeTakeFirst();
  return taken.numUpdatedRows > 0n;
}

/** Finishes a question, unless a newer question uses the slot. */
export async function finishQuestion(
  writer: Writer,
  ask: Question,
  { advice: kept = NO_ADVICE, ...outcome }: { advice?: Advice; model?: string; error?: string },
): Promise<void> {
  const { model = null, error = null } = outcome;
  const state = error === null ? 'done' : 'failed';
  const ended = { state, model, error, advice: jsonText(kept), finished_at: sql<Date>`now()` } as const;
  await updateQuestion(writer, ask).set(ended).execute();
}

export const adviceOf = (row: Pick<SlotRow, 'advice'>): Advice => advice.safeParse(row.advice).data ?? NO_ADVICE;
