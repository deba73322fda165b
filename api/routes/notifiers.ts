import { isProfileEvent, type NotifierName, PROFILE_EVENTS } from '#core/installation/notify.ts';
import { OPS_NOTIFY } from '#core/installation/settings.ts';
import { NOTIFIERS, sendNotification } from '#integrations/notifiers.ts';
import {
  deleteNotifier as removeNotifier,
  listNotifiers as selectNotifiers,
  readNotifier as findNotifier,
  saveNotifier as keepNotifier,
  type StoredNotifier,
} from '#storage/operator/notifiers.ts';
import { patchSetting, readSetting } from '#storage/postgres/service-settings.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  changeOpsNotify,
  deleteNotifier,
  listNotifiers,
  readNotifier,
  readOpsNotify,
  saveNotifier,
  testNotifier,
  testOpsNotify,
} from '#api/contract/notifiers.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { deliveryView, mergedNotifier, notifierKinds, notifierView, testMessage } from '#api/views/notifiers.ts';

const viewOf = (notifier: StoredNotifier) => notifierView(notifier.provider, notifier);

function requireFound(found: StoredNotifier | undefined, provider: NotifierName): StoredNotifier {
  if (found !== undefined) return found;
  throw new ApiProblem('not_found', `The profile has no ${NOTIFIERS[provider].title} notifier.`);
}

async function save({ commit, params, body }: Incoming<typeof saveNotifier>) {
  const { id: profileId, provider } = params;
  const saved = await commit(async ({ transaction }) => {
    const before = await findNotifier(transaction, profileId, provider);
    const { secretsSent, ...merged } = mergedNotifier(provider, before, body);
    await keepNotifier(transaction, {
      profileId,
      provider,
      enabled: body.enabled,
      rules: body.rules,
      ...merged,
    });
    const after = requireFound(await findNotifier(transaction, profileId, provider), provider);
    const views = { ...(before === undefined ? {} : { before: viewOf(before) }), after: viewOf(after) };
    const recorded = { ...views.after, secretsSent };
    return { answer: after, subject: `${profileId}:${provider}`, ...views, after: recorded };
  });
  return viewOf(saved);
}

async function deliverTest(context: ApiContext, notifier: StoredNotifier) {
  const { outgoingPrivate } = context.settings;
  return deliveryView(await sendNotification(outgoingPrivate, notifier, testMessage(context.now())));
}

function mountProfileNotifiers({ context, handle }: Routes): void {
  const { kysely } = context.database;

  handle(listNotifiers, async ({ profile }) => {
    const configured = await selectNotifiers(kysely, { profileId: profile.id });
    return {
      notifiers: notifierKinds().map((kind) => {
        const found = configured.find(({ provider }) => provider === kind.provider);
        return { ...kind, configured: found === undefined ? null : viewOf(found) };
      }),
      events: Object.entries(PROFILE_EVENTS)
        .filter(([event]) => isProfileEvent(event))
        .map(([event, words]) => ({ event, ...words })),
    };
  });
  handle(readNotifier, async ({ params: { id, provider } }) =>
    viewOf(requireFound(await findNotifier(kysely, id, provider), provider)),
  );
  handle(saveNotifier, save);
  handle(deleteNotifier, ({ commit, params: { id, provider } }) =>
    commit(async ({ transaction }) => {
      const before = requireFound(await findNotifier(transaction, id, provider), provider);
      await removeNotifier(transaction, id, provider);
      return { answer: undefined, subject: `${id}:${provider}`, before: viewOf(before) };
    }),
  );
  handle(testNotifier, async ({ commit, params: { id, provider } }) => {
    const delivery = await deliverTest(context, requireFound(await findNotifier(kysely, id, provider), provider));
    return commit(async () => ({ answer: delivery, subject: `${id}:${provider}`, after: delivery }));
  });
}

export function mountNotifiers(routes: Routes): void {
  mountProfileNotifiers(routes);
  const { context, handle } = routes;
  const { database } = context;

  handle(readOpsNotify, () => readSetting(database.kysely, OPS_NOTIFY));
  handle(changeOpsNotify, ({ commit, body }) =>
    commit(async ({ transaction }) => {
      const change = await patchSetting(transaction, OPS_NOTIFY, body);
      return { answer: change.after, ...change };
    }),
  );
  handle(testOpsNotify, async ({ commit }) => {
    const enabled = (await selectNotifiers(database.kysely)).filter((notifier) => notifier.enabled);
    const deliveries = await Promise.all(
      enabled.map(async (notifier) => {
        const { profileId, provider } = notifier;
        return { profileId, provider, ...(await deliverTest(context, notifier)) };
      }),
    );
    return commit(async () => ({ answer: { deliveries }, after: { deliveries } }));
  });
}
