import type { AccountId } from '#core/ids.ts';
import { CHANNEL_EVENTS, isUrgent, isChannelEvent, type NotifierName } from '#core/installation/notify.ts';
import { sendToChannel } from '#integrations/channels.ts';
import { NOTIFIERS } from '#integrations/notifiers.ts';
import { makePushKeys } from '#integrations/push.ts';
import {
  type AccountNotifier,
  deleteAccountNotifier as removeNotifier,
  listAccountNotifiers as selectNotifiers,
  listDeliveries,
  saveAccountNotifier as keepNotifier,
} from '#storage/operator/account-notifiers.ts';
import { keepPushKeys, readPushKeys } from '#storage/operator/push-keys.ts';
import type { Reader } from '#storage/postgres/database.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  addBrowser,
  changeBrowser,
  deleteAccountNotifier,
  deleteBrowser,
  listAccountNotifiers,
  preparePush,
  saveAccountNotifier,
  testAccountNotifier,
  testBrowser,
} from '#api/contract/account-notifiers.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { deliveryView, mergedNotifier, notifierKinds, notifierView, testMessage } from '#api/views/notifiers.ts';

/** A browser for responses and the audit log, without its address and keys. */
const browserView = ({ id, label, enabled, rules, updatedAt }: AccountNotifier) => ({
  ...{ id, label, enabled, rules },
  updatedAt,
});

const findNotifier = async (database: Reader, accountId: AccountId, provider: NotifierName) =>
  (await selectNotifiers(database, accountId)).find((one) => one.provider === provider);

async function requireNotifier(database: Reader, accountId: AccountId, provider: NotifierName) {
  const found = await findNotifier(database, accountId, provider);
  if (found === undefined)
    throw new ApiProblem('not_found', `The account has no ${NOTIFIERS[provider].title} notifier.`);
  return found;
}

async function requireBrowser(database: Reader, { id, browserId }: { id: AccountId; browserId: string }) {
  const found = (await selectNotifiers(database, id)).find((one) => one.provider === 'push' && one.id === browserId);
  if (found === undefined) throw new ApiProblem('not_found', 'The account sends nothing to this browser.');
  return found;
}

/** Sends a test; a browser is signed for with the keys of the installation. */
async function deliverTest(context: ApiContext, notifier: AccountNotifier) {
  const { kysely } = context.database;
  const pushKeys = notifier.provider === 'push' ? await readPushKeys(kysely) : undefined;
  const message = testMessage(context.now());
  return deliveryView(await sendToChannel(context.settings.outgoingPrivate, notifier, { message, pushKeys }));
}

async function save({ commit, params, body }: Incoming<typeof saveAccountNotifier>) {
  const { id: accountId, provider } = params;
  return commit(async ({ transaction }) => {
    const before = await findNotifier(transaction, accountId, provider);
    const { secretsSent, ...merged } = mergedNotifier(provider, before, body);
    await keepNotifier(transaction, {
      ...(before === undefined ? {} : { id: before.id }),
      ...{ accountId, provider, label: '', enabled: body.enabled, rules: body.rules, ...merged },
    });
    const after = notifierView(provider, await requireNotifier(transaction, accountId, provider));
    const recorded = { ...after, secretsSent };
    const change = { answer: after, subject: `${accountId}:${provider}`, after: recorded };
    return before === undefined ? change : { ...change, before: notifierView(provider, before) };
  });
}

async function subscribe({ commit, params, body }: Incoming<typeof addBrowser>) {
  const { id: accountId } = params;
  const { label, rules, ...secrets } = body;
  return commit(async ({ transaction }) => {
    const known = (await selectNotifiers(transaction, accountId)).find(
      (one) => one.provider === 'push' && one.secrets['endpoint'] === secrets.endpoint,
    );
    const browserId = await keepNotifier(transaction, {
      ...(known === undefined ? {} : { id: known.id }),
      ...{ accountId, provider: 'push', label, enabled: true, settings: {}, secrets, rules: known?.rules ?? rules },
    });
    const after = browserView(await requireBrowser(transaction, { id: accountId, browserId }));
    return { answer: after, subject: `${accountId}:push`, after };
  });
}

async function changeRules({ commit, params, body }: Incoming<typeof changeBrowser>) {
  return commit(async ({ transaction }) => {
    const known = await requireBrowser(transaction, params);
    const { enabled = known.enabled, rules = known.rules } = body;
    await keepNotifier(transaction, { ...known, enabled, rules });
    const after = browserView(await requireBrowser(transaction, params));
    return { answer: after, subject: `${params.id}:push`, before: browserView(known), after };
  });
}

const events = () =>
  Object.entries(CHANNEL_EVENTS).flatMap(([event, words]) =>
    isChannelEvent(event) ? [{ event, ...words, urgent: isUrgent({ event }) }] : [],
  );

function mountBrowsers({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(preparePush, ({ commit }) =>
    commit(async ({ transaction }) => {
      const { publicKey, isNew } = await keepPushKeys(transaction, makePushKeys());
      const answer = { publicKey };
      return isNew ? { answer, after: answer } : { answer, unchanged: true };
    }),
  );
  handle(addBrowser, subscribe);
  handle(changeBrowser, changeRules);
  handle(deleteBrowser, ({ commit, params }) =>
    commit(async ({ transaction }) => {
      const before = await requireBrowser(transaction, params);
      await removeNotifier(transaction, before.id);
      return { answer: undefined, subject: `${params.id}:push`, before: browserView(before) };
    }),
  );
  handle(testBrowser, async ({ commit, params }) => {
    const delivery = await deliverTest(context, await requireBrowser(kysely, params));
    return commit(async () => ({ answer: delivery, subject: `${params.id}:push`, after: delivery }));
  });
}

export function mountAccountNotifiers(routes: Routes): void {
  const { context, handle } = routes;
  const { kysely } = context.database;

  handle(listAccountNotifiers, async ({ params: { id } }) => {
    const stored = await selectNotifiers(kysely, id);
    return {
      notifiers: notifierKinds().map((kind) => {
        const found = stored.find(({ provider }) => provider === kind.provider);
        return { ...kind, configured: found === undefined ? null : notifierView(kind.provider, found) };
      }),
      browsers: stored.filter(({ provider }) => provider === 'push').map(browserView),
      events: events(),
      deliveries: await listDeliveries(kysely, id),
    };
  });
  handle(saveAccountNotifier, save);
  handle(deleteAccountNotifier, ({ commit, params: { id, provider } }) =>
    commit(async ({ transaction }) => {
      const before = await requireNotifier(transaction, id, provider);
      await removeNotifier(transaction, before.id);
      return { answer: undefined, subject: `${id}:${provider}`, before: notifierView(provider, before) };
    }),
  );
  handle(testAccountNotifier, async ({ commit, params: { id, provider } }) => {
    const delivery = await deliverTest(context, await requireNotifier(kysely, id, provider));
    return commit(async () => ({ answer: delivery, subject: `${id}:${provider}`, after: delivery }));
  });
  mountBrowsers(routes);
}
