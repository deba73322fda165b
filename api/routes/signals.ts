import { randomBytes } from 'node:crypto';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { APPROVAL_REASONS, describe, type ReasonText } from '#core/decision/decision.ts';
import { readSignalFields, SIGNAL_REASONS, sentSignal, signalKey } from '#core/order/signal.ts';
import {
  createInlet as insertInlet,
  deleteInlet as removeInlet,
  findInlet,
  listInlets as selectInlets,
  replaceSecret,
} from '#storage/operator/signal-inlets.ts';
import {
  countSignals,
  listSignals as selectSignals,
  recordSignal,
  type SignalCount,
} from '#storage/trading/signals.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import {
  createInlet,
  deleteInlet,
  listInlets,
  listSignals,
  replaceInletSecret,
  sendSignal,
} from '#api/contract/signals.ts';
import { numbers } from '#api/contract/fields.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { readBodyText } from '#api/frame/json-body.ts';
import { ApiProblem, invalid, invalidField } from '#api/frame/problem.ts';
import { fieldErrors, parseWith } from '#api/frame/validate.ts';
import { tokenHash } from '#api/guard/session.ts';
import { requireAllowance, requireBadTokenAllowance } from '#api/guard/throttle.ts';
import { isWellFormed, newToken } from '#api/guard/token.ts';
import type { Incoming, Routes } from '#api/handle.ts';

const MAX_BODY_KIB = 4;
const MAX_INLETS = 20;
const MAX_A_MINUTE = 30;
const ID_BYTES = 16;

/** A secret has the form of a token, so that logs hide it and a typing error costs no query. */
const answerOf = (id: string, secret: string) => ({ id, path: `/api/signals/${id}`, secret });

async function create({ commit, body }: Incoming<typeof createInlet>) {
  const [id, secret] = [randomBytes(ID_BYTES).toString('base64url'), newToken()];
  await commit(async ({ transaction, profile: { id: profileId, strategyName } }) => {
    requireTakesSignals(strategyName);
    if ((await selectInlets(transaction, profileId)).length >= MAX_INLETS)
      throw new ApiProblem('conflict', `The profile has ${MAX_INLETS} inlets: delete one that is not needed.`);
    await insertInlet(transaction, { ...body, id, profileId, secretHash: tokenHash(secret) });
    return { answer: undefined, after: { id, ...body } };
  });
  return answerOf(id, secret);
}

function requireTakesSignals(strategyName: string): void {
  if (STRATEGIES.get(strategyName)?.takesSignals === true) return;
  throw new ApiProblem('conflict', 'The strategy of the profile does not act on signals: choose one that does.');
}

const noInlet = (): ApiProblem => new ApiProblem('not_found', 'There is no such inlet with this secret.');

/** Reads the secret first: without the right one, a request learns nothing and leaves nothing. */
async function requireInlet(context: ApiContext, { params, caller }: Incoming<typeof sendSignal>, fields: unknown) {
  const secret = sentSignal.pick({ secret: true }).safeParse(fields).data?.secret ?? '';
  const { kysely } = context.database;
  const inlet = isWellFormed(secret) ? await findInlet(kysely, params.inlet, tokenHash(secret)) : undefined;
  if (inlet !== undefined) return inlet;
  await requireBadTokenAllowance(context.cache, caller.ip);
  throw noInlet();
}

async function receive(context: ApiContext, incoming: Incoming<typeof sendSignal>) {
  const fields = readSignalFields(await readBodyText(incoming.upload, MAX_BODY_KIB));
  if (fields === undefined) throw new ApiProblem('malformed_json', 'The body is neither JSON nor name=value text.');
  const inlet = await requireInlet(context, incoming, fields);
  const what = 'Signals of one inlet';
  await requireAllowance(context.cache, cacheKeys.signals(inlet.id), { most: MAX_A_MINUTE, what });
  requireTakesSignals(inlet.strategyName);
  const parsed = parseWith(sentSignal, fields);
  if (!parsed.success) throw invalid(fieldErrors(parsed.error));
  const { symbol, action, time } = parsed.data;
  const sent = { key: signalKey(parsed.data), symbol, action, at: new Date(time) };
  const recorded = await context.database.transaction((transaction) => recordSignal(transaction, inlet, sent));
  const { id, state, duplicate } = recorded;
  if (state !== 'refused') return { id, state, duplicate };
  const field = recorded.reason === 'signal-unknown-coin' ? 'symbol' : 'time';
  throw invalidField(field, `is refused: ${sentenceOf(recorded).replace(/\.$/, '')}`);
}

const OWN: Readonly<Record<string, ReasonText>> = { ...APPROVAL_REASONS, ...SIGNAL_REASONS };

interface Answered {
  readonly state: string;
  readonly reason: string | null;
  readonly numbers: unknown;
}

/** Code and sentence of the answer to a signal; `reasons` are those of the strategy. */
function answerTo({ state, reason }: Answered): string {
  return reason ?? (state === 'pending' ? 'signal-waiting' : 'signal-unanswered');
}

function sentenceOf(row: Answered, reasons: Readonly<Record<string, ReasonText>> = {}): string {
  if (row.state === 'used') return 'It has its order.';
  const code = answerTo(row);
  const text = OWN[code] ?? reasons[code];
  return text === undefined ? code : describe(text, numbers.catch({}).parse(row.numbers));
}

const useOf = (counts: readonly SignalCount[]) => ({
  lastSignalAt: counts.map(({ lastAt }) => lastAt).toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null,
  outcomes: counts.map(({ state, reason, count }) => ({ state, reason, count })),
});

export function mountSignals({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(listInlets, async ({ profile }) => {
    const [inlets, outcomes] = await Promise.all([selectInlets(kysely, profile.id), countSignals(kysely, profile.id)]);
    return {
      inlets: inlets.map((inlet) => ({ ...inlet, ...useOf(outcomes.filter(({ inletId }) => inletId === inlet.id)) })),
    };
  });
  handle(createInlet, (incoming) => create(incoming));
  handle(sendSignal, (incoming) => receive(context, incoming));

  handle(replaceInletSecret, async ({ commit, params: { inlet: id } }) => {
    const secret = newToken();
    await commit(async ({ transaction, profile: { id: profileId } }) => {
      const name = await replaceSecret(transaction, {
        id,
        profileId,
        secretHash: tokenHash(secret),
        at: context.now(),
      });
      if (name === undefined) throw unknownInlet(id);
      return { answer: undefined, after: { id, name } };
    });
    return answerOf(id, secret);
  });

  handle(deleteInlet, ({ commit, params: { inlet: id } }) =>
    commit(async ({ transaction, profile }) => {
      const name = await removeInlet(transaction, id, profile.id);
      if (name === undefined) throw unknownInlet(id);
      return { answer: undefined, before: { id, name } };
    }),
  );

  handle(listSignals, async ({ profile, query }) => {
    const reasons = STRATEGIES.get(profile.strategyName)?.reasons;
    const rows = await selectSignals(kysely, profile.id, query);
    const signals = rows.map((row) => ({
      ...row,
      reason: answerTo(row),
      sentence: sentenceOf(row, reasons),
      numbers: numbers.catch({}).parse(row.numbers),
    }));
    return { signals };
  });
}

const unknownInlet = (id: string): ApiProblem => new ApiProblem('not_found', `The profile has no inlet ${id}.`);
