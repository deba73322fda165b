import { isSameFile } from '#authoring/own-strategy.ts';
import { isObject } from '#core/merge.ts';
import {
  listConfigVersions,
  readConfigVersion,
  switchStrategy as saveStrategy,
} from '#storage/operator/profile-configs.ts';
import { listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import { requireCertificate } from '#api/checks/certificate.ts';
import { readMarket, requireConfig, requireSizing, requireStrategy } from '#api/checks/config-check.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  cloneProfile,
  exportProfile,
  importProfile,
  listConfigHistory,
  restoreConfig,
  switchStrategy,
} from '#api/contract/profile-configs.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireProfile } from '#api/require.ts';
import { profileView } from '#api/views/views.ts';
import { announceProfile, createFrom, saveChange } from './profiles.ts';

const configOf = (stored: unknown): Record<string, unknown> => (isObject(stored) ? stored : {});

async function restore(context: ApiContext, incoming: Incoming<typeof restoreConfig>) {
  const { profile, params } = incoming;
  const wanted = await readConfigVersion(context.database.kysely, profile.id, params.version);
  if (wanted === undefined)
    throw new ApiProblem('not_found', `The profile ${profile.id} has no config of version ${params.version}.`);
  if (wanted.strategyName !== profile.strategyName) {
    throw new ApiProblem(
      'conflict',
      `Version ${wanted.version} is a config of the strategy ${wanted.strategyName}: switch the strategy first.`,
    );
  }
  const { version, config } = wanted;
  return saveChange(context, { ...incoming, body: { config: configOf(config) } }, { detail: { version } });
}

async function change(context: ApiContext, incoming: Incoming<typeof switchStrategy>) {
  const { operator, readAccount, commit, params, body } = incoming;
  const account = await readAccount();
  const market = await readMarket(context, account);
  const strategy = requireStrategy(body.strategyName);
  requireConfig(strategy, body.config);
  const saved = await commit(async ({ transaction, profile: before }) => {
    const keepsState = isSameFile(before.strategyName, body.strategyName);
    if (before.enabled && !keepsState)
      throw new ApiProblem('conflict', 'The profile is enabled: disable it before you switch its strategy.');
    const bound = await listBoundSymbols(transaction, before.id);
    const plain = bound.map(({ symbol, overrideConfig }) => ({
      symbol,
      overrideConfig: keepsState ? overrideConfig : {},
    }));
    const warnings = requireSizing({ market, strategy, config: body.config, part: 'config' }, plain);
    await requireCertificate(transaction, { ...body, enabled: before.enabled, account });
    await saveStrategy(transaction, before.id, { ...body, keepsState });
    const { strategyName, config } = before;
    return {
      answer: { profile: profileView(await requireProfile(transaction, operator, before.id)), warnings },
      before: { strategyName, config, symbols: bound },
      after: { ...body, symbols: plain },
    };
  });
  await announceProfile(context, params.id);
  return saved;
}

async function clone(context: ApiContext, incoming: Incoming<typeof cloneProfile>) {
  const { profile: source, body } = incoming;
  const { kysely } = context.database;
  const accountId = body.accountId ?? source.accountId;
  // One profile owns a coin on an account, so only a copy to another account includes the coins.
  const symbols = accountId === source.accountId ? [] : await listBoundSymbols(kysely, source.id);
  const { strategyName } = source;
  const draft = { accountId, name: body.name, strategyName, config: configOf(source.config), enabled: false, symbols };
  return createFrom(context, incoming, { draft, detail: { from: source.id } });
}

export function mountProfileConfigs({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(listConfigHistory, async ({ profile, query }) => {
    const versions = await listConfigVersions(kysely, profile.id, query);
    return {
      versions: versions.map(({ config, at, ...one }) => ({ ...one, config: configOf(config), at })),
    };
  });
  handle(restoreConfig, (incoming) => restore(context, incoming));
  handle(switchStrategy, (incoming) => change(context, incoming));
  handle(cloneProfile, (incoming) => clone(context, incoming));
  handle(exportProfile, async ({ profile: { id, name, strategyName, config }, reply }) => {
    const bound = await listBoundSymbols(kysely, id);
    reply.set('content-disposition', `attachment; filename="profile-${id}.json"`);
    const symbols = bound.map(({ symbol, overrideConfig }) => ({ symbol, overrideConfig: configOf(overrideConfig) }));
    return { format: 'tradewind-profile', version: 1, name, strategyName, config: configOf(config), symbols } as const;
  });
  handle(importProfile, async (incoming) => {
    const { accountId, name, profile } = incoming.body;
    const { strategyName, config, symbols } = profile;
    const draft = { accountId, name: name ?? profile.name, strategyName, config, enabled: false, symbols };
    return createFrom(context, incoming, { draft });
  });
}
