import { z } from 'zod';
import { certificateSchema, isCertified } from '#authoring/certificate.ts';
import { descriptionSchema } from '#authoring/description.ts';
import { referenceOf } from '#authoring/own-strategy.ts';
import { venueOf } from '#core/account/account.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { PREVIEW_DAYS } from '#core/research/costs.ts';
import { PREVIEW_TTL_MS, runningPreview, strategyPreview } from '#core/research/strategy-preview.ts';
import { type FileUser, listFiles, listFileUsers, requestCheck } from '#storage/operator/strategy-files.ts';
import { listVersions, readVersion, type StoredVersion } from '#storage/operator/strategy-versions.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { listStrategies } from '#api/contract/profiles.ts';
import {
  checkStrategyVersion,
  listStrategyFiles,
  previewStrategyVersion,
  readStrategyPreview,
  readStrategyVersion,
} from '#api/contract/strategy-files.ts';
import { isOffered } from '#api/frame/strategy-versions.ts';
import { readCached } from '#api/frame/venues.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireListed } from '#api/checks/coin-binding.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import type { ApiContext } from '#api/frame/context.ts';

const json = z.record(z.string(), z.unknown());

/** `io: input`, so that fields with a default are optional, as in a stored config. */
function strategyView({ name, title, summary, config, reasons, bind, plansBaskets = false }: AnyStrategy) {
  const { shared, needs } = bind({});
  return {
    name,
    title,
    summary,
    schema: json.parse(z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' })),
    defaults: json.parse(config.parse({})),
    capabilities: {
      buys: shared.entryBudget > 0n || shared.equityShare !== undefined,
      levels: shared.levels?.length ?? 1,
      protectiveStop: shared.protectiveStop !== undefined,
      plansBaskets,
      candles: { interval: needs.interval, min: needs.min, want: needs.want },
    },
    reasons: Object.fromEntries(Object.entries(reasons).map(([code, { sentence }]) => [code, sentence])),
  };
}

const checkOf = listStrategyFiles.response.shape.versions.element.shape.check;

function versionView(version: StoredVersion, users: readonly FileUser[]) {
  const { hash, name, file, present, quarantine, certificate, checked, checkRequestedAt, seenAt } = version;
  const reference = referenceOf(name, hash);
  const described = descriptionSchema.safeParse(version.description);
  const certified = isCertified(certificate, hash) ? new Date(certificateSchema.parse(certificate).at) : null;
  const check = checkOf.safeParse(checked);
  return {
    ...{ hash, reference, name, file, present, quarantine, certifiedAt: certified },
    title: described.success ? described.data.title : name,
    summary: described.success ? described.data.summary : '',
    ...{ seenAt, checkRequestedAt },
    check: check.success ? check.data : null,
    usedBy: users
      .filter(({ strategyName }) => strategyName === reference)
      .map(({ id, name: profile, enabled }) => ({ id, name: profile, enabled })),
  };
}

const missing = (hash: string): ApiProblem =>
  new ApiProblem('not_found', `There is no version ${hash.slice(0, 12)} of a strategy file.`);

const [DAY_MS, MINUTE_MS] = [86_400_000, 60_000];

async function preview(context: ApiContext, incoming: Incoming<typeof previewStrategyVersion>) {
  const { account, commit, body } = incoming;
  const { hash, symbol } = body;
  const { database, venues, cache, queue } = context;
  const venue = venueOf(account);
  if ((await readVersion(database.kysely, hash)) === undefined) throw missing(hash);
  requireListed([symbol], await venues.rules(venue), 'symbol');
  const nowMs = context.now().getTime();
  const marketMs = (await venues.marketMs(venue, nowMs)) ?? nowMs;
  // To the minute: a market that began today has no full day.
  const endMs = marketMs - (marketMs % MINUTE_MS);
  const [from, to] = [endMs - PREVIEW_DAYS * DAY_MS, endMs].map((ms) => new Date(ms).toISOString());
  if (from === undefined || to === undefined) throw new Error('the window has two ends');
  await cache.set(
    cacheKeys.strategyPreview(hash, venue, symbol),
    JSON.stringify(runningPreview(from, to)),
    PREVIEW_TTL_MS.running,
  );
  return commit(async ({ transaction }) => {
    const data = { hash, venue, symbol, from, to };
    const job = { name: 'preview-strategy', data, singletonKey: [hash, venue, symbol].join(' ') } as const;
    return { answer: { jobId: (await queue.enqueueIn(transaction, job)) ?? '' }, after: data };
  });
}

export function mountStrategyFiles({ context, handle }: Routes): void {
  const { kysely } = context.database;
  const views = new WeakMap<AnyStrategy, ReturnType<typeof strategyView>>();
  const viewOf = (strategy: AnyStrategy): ReturnType<typeof strategyView> => {
    const view = views.get(strategy) ?? strategyView(strategy);
    views.set(strategy, view);
    return view;
  };
  handle(listStrategies, async ({ operator }) => {
    const users = await listFileUsers(kysely, operator.user.id);
    const used = new Set(users.map(({ strategyName }) => strategyName));
    const listed = [...STRATEGIES.values()].filter((strategy) => isOffered(strategy) || used.has(strategy.name));
    return { strategies: listed.map((strategy) => ({ ...viewOf(strategy), offered: isOffered(strategy) })) };
  });

  handle(listStrategyFiles, async ({ operator }) => {
    const [files, versions, users] = await Promise.all([
      listFiles(kysely),
      listVersions(kysely),
      listFileUsers(kysely, operator.user.id),
    ]);
    return {
      files,
      versions: versions.toReversed().map((version) => versionView(version, users)),
    };
  });
  handle(readStrategyVersion, async ({ operator, params: { hash } }) => {
    const version = await readVersion(kysely, hash);
    if (version === undefined) throw missing(hash);
    return { ...versionView(version, await listFileUsers(kysely, operator.user.id)), source: version.source };
  });
  handle(checkStrategyVersion, ({ commit, params: { hash } }) =>
    commit(async ({ transaction }) => {
      if (!(await requestCheck(transaction, hash))) throw missing(hash);
      const job = { name: 'check-strategy', data: { hash }, singletonKey: hash } as const;
      return { answer: { jobId: (await context.queue.enqueueIn(transaction, job)) ?? '' } };
    }),
  );
  handle(previewStrategyVersion, (incoming) => preview(context, incoming));
  handle(readStrategyPreview, async ({ account, query: { hash, symbol } }) => {
    const cached = await context.cache.get(cacheKeys.strategyPreview(hash, venueOf(account), symbol));
    return { preview: readCached(strategyPreview, cached) ?? null };
  });
}
