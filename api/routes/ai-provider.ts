import { AI_PROTOCOLS, aiProviderSettings, askAi } from '#integrations/ai-provider.ts';
import { shownText } from '#integrations/redact.ts';
import {
  deleteAiProvider,
  readAiProvider as findAiProvider,
  saveAiProvider,
  type StoredAiProvider,
} from '#storage/research/advisor.ts';
import { changeAiProvider, readAiProvider, testAiProvider } from '#api/contract/ai-provider.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import { requireValid } from '#api/frame/validate.ts';

const TEST_QUESTION = { text: 'Answer with the word ready.', mostTokens: 16, timeoutMs: 20_000 };
/** The last characters of a shorter credential would reveal too much of it. */
const MIN_LENGTH_SHOWN = 16;

/** A provider for responses and the audit log: of the credential only its kind and last characters. */
function viewOf({ provider, baseUrl, model, credential, updatedAt }: StoredAiProvider) {
  const last4 = credential !== null && credential.value.length >= MIN_LENGTH_SHOWN ? credential.value.slice(-4) : '';
  const shown = credential === null ? null : { kind: credential.kind, last4 };
  return { provider, baseUrl, model, credential: shown, updatedAt };
}

const originOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).origin : null);

type Body = Incoming<typeof changeAiProvider>['body'];

/** Merges the request into the stored provider. A stored credential is kept only for the address that it was entered for. */
function merged(before: StoredAiProvider | undefined, body: Body) {
  const provider = body.provider ?? before?.provider;
  if (provider === undefined) throw invalidField('provider', `is missing: ${Object.keys(AI_PROTOCOLS).join(' or ')}`);
  const { usualUrl, credentials } = AI_PROTOCOLS[provider];
  const same = before?.provider === provider;
  const baseUrl = (body.baseUrl ?? (same ? before.baseUrl : '')) || usualUrl;
  const model = body.model ?? (same ? before.model : '');
  const stored = before?.credential ?? null;
  if (body.credential === null) return { provider, baseUrl, model, credential: null };
  if (body.credential !== undefined && body.credential !== '') {
    const kind = body.credentialKind ?? credentials[0] ?? 'endpoint-key';
    return { provider, baseUrl, model, credential: { kind, value: body.credential } };
  }
  if (stored === null) return { provider, baseUrl, model, credential: null };
  if (!same || originOf(baseUrl) !== originOf(before.baseUrl))
    throw invalidField('credential', 'was entered for another address: enter it again, or send null for none');
  return { provider, baseUrl, model, credential: { ...stored, kind: body.credentialKind ?? stored.kind } };
}

function change({ operator, commit, body }: Incoming<typeof changeAiProvider>) {
  const userId = operator.user.id;
  return commit(async ({ transaction }) => {
    const before = await findAiProvider(transaction, userId);
    if (body.provider === null) await deleteAiProvider(transaction, userId);
    else await saveAiProvider(transaction, userId, requireValid(aiProviderSettings, merged(before, body)));
    const after = await findAiProvider(transaction, userId);
    const views = { before: before && viewOf(before), after: after && viewOf(after) };
    const audited = { ...views.after, credentialSent: Boolean(body.credential) };
    return { answer: { aiProvider: views.after ?? null }, before: views.before, after: audited };
  });
}

export function mountAiProvider({ context, handle }: Routes): void {
  const { database } = context;

  handle(readAiProvider, async ({ operator }) => {
    const found = await findAiProvider(database.kysely, operator.user.id);
    return { aiProvider: found === undefined ? null : viewOf(found) };
  });
  handle(changeAiProvider, change);
  handle(testAiProvider, async ({ operator, commit }) => {
    const provider = await findAiProvider(database.kysely, operator.user.id);
    if (provider === undefined) throw new ApiProblem('not_found', 'No AI provider is set up: save one first.');
    const answer = await askAi(context.settings.outgoingPrivate, provider, TEST_QUESTION);
    const said = answer.ok ? shownText(answer.text, []) : '';
    const detail = answer.ok ? `${answer.model} answered${said === '' ? '' : `: ${said}`}` : answer.detail;
    const outcome = { ok: answer.ok, detail };
    return commit(async () => ({ answer: outcome, after: outcome }));
  });
}
