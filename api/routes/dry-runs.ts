import { differencesOf } from '#core/config-differences.ts';
import { isObject } from '#core/merge.ts';
import { dryRunCoins, dryRunResult, dryRunSummary, MOST_COINS } from '#core/research/dry-run.ts';
import { type BoundSymbol, listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import type { Reader } from '#storage/postgres/database.ts';
import {
  createDryRun,
  decideDryRun,
  type DryRunRow,
  listDryRuns as selectDryRuns,
  readDryRun as selectDryRun,
} from '#storage/research/dry-runs.ts';
import { readMarket, requireConfig, requireStrategy } from '#api/checks/config-check.ts';
import { dropDryRun, listDryRuns, promoteDryRun, readDryRun, startDryRun } from '#api/contract/dry-runs.ts';
import { warning } from '#api/contract/fields.ts';
import { announce } from '#api/frame/bus.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { requireNewConfig, saveChange } from './profiles.ts';

const configOf = (stored: unknown): Record<string, unknown> => (isObject(stored) ? stored : {});

/** Overrides by coin, each with `bound`, so that a coin that was added or removed differs. */
const overridesOf = (bound: readonly { readonly symbol: string; readonly overrideConfig?: unknown }[]) =>
  Object.fromEntries(bound.map(({ symbol, overrideConfig }) => [symbol, { bound: true, ...configOf(overrideConfig) }]));

/** Settings of the profile that are others now than at the start of a dry run. */
function changedSince(
  row: DryRunRow,
  now: Pick<ProfileView, 'strategyName' | 'config'>,
  bound: readonly BoundSymbol[],
) {
  const coins = differencesOf(overridesOf(dryRunCoins.parse(row.coins)), overridesOf(bound));
  return [
    ...(now.strategyName === row.strategyName ? [] : ['strategyName']),
    ...differencesOf(row.present, now.config).map(({ path }) => (path === '' ? 'config' : `config.${path}`)),
    ...coins.map(({ path }) => `symbols.${path.replace(/\.bound$/, '')}`),
  ];
}

/** The fields of a dry run but its result. */
function viewOf(row: DryRunRow, profile: ProfileView, bound: readonly BoundSymbol[]) {
  const { profileId: _profile, coins, result: _result, ...shown } = row;
  const isOpen = row.state === 'running' || row.state === 'finished';
  const [present, changed] = [configOf(row.present), configOf(row.changed)];
  return {
    ...shown,
    ...{ present, changed, differs: differencesOf(present, changed).map(({ path }) => path) },
    changedSince: isOpen ? changedSince(row, profile, bound) : [],
    symbols: dryRunCoins.parse(coins).map(({ symbol }) => symbol),
    warnings: warning.array().parse(row.warnings),
  };
}

const fullView = (row: DryRunRow, profile: ProfileView, bound: readonly BoundSymbol[]) => ({
  ...viewOf(row, profile, bound),
  result: dryRunResult.nullable().parse(row.result),
});

const announceDryRun = (context: ApiContext, profileId: string, data: { id: string; state: string }): Promise<void> =>
  announce(context, { events: [{ topic: 'dry-run', id: profileId, data }] });

async function start(context: ApiContext, { profile, readAccount, commit, body }: Incoming<typeof startDryRun>) {
  const { config, decisions } = body;
  // Parsed before the transaction, so that an invalid config does not hold one open.
  requireConfig(requireStrategy(profile.strategyName), config);
  const market = await readMarket(context, await readAccount());
  const dryRun = await commit(async ({ transaction, profile: before }) => {
    const warnings = await requireNewConfig({ transaction, before, config, market });
    if (differencesOf(before.config, config).length === 0)
      throw invalidField('config', 'is the present config of the profile: change a setting');
    const coins = await listBoundSymbols(transaction, before.id);
    requireCoins(coins);
    const { id: profileId, strategyName, config: present } = before;
    const run = { profileId, strategyName, present, changed: config, coins, decisions, warnings };
    const id = await createDryRun(transaction, run);
    if (id === undefined)
      throw new ApiProblem('conflict', 'A dry run of the profile is running already: promote or drop it first.');
    await context.queue.enqueueIn(transaction, {
      ...{ name: 'evaluate-dry-run', data: { dryRunId: id }, singletonKey: id },
    });
    const created = await requireDryRun(transaction, profileId, id);
    return {
      answer: fullView(created, before, coins),
      ...{ subject: id, before: { config: present }, after: { config, decisions } },
    };
  });
  await announceDryRun(context, profile.id, { id: dryRun.id, state: dryRun.state });
  return { dryRun };
}

function requireCoins(coins: readonly BoundSymbol[]): void {
  if (coins.length === 0) throw new ApiProblem('conflict', 'The profile has no coin to decide about: add one first.');
  if (coins.length > MOST_COINS)
    throw new ApiProblem(
      'conflict',
      `The profile has ${coins.length} coins, and a dry run computes at most ${MOST_COINS} of them.`,
    );
}

async function requireDryRun(reader: Reader, profileId: ProfileView['id'], id: string): Promise<DryRunRow> {
  const row = await selectDryRun(reader, profileId, id);
  if (row === undefined) throw new ApiProblem('not_found', `The profile has no dry run ${id}.`);
  return row;
}

async function promote(context: ApiContext, incoming: Incoming<typeof promoteDryRun>) {
  const { profile, params } = incoming;
  const { id, changed } = await requireDryRun(context.database.kysely, profile.id, params.dryRunId);
  const saved = await saveChange(
    context,
    { ...incoming, body: { config: configOf(changed) } },
    {
      detail: { dryRun: id },
      async before(transaction, present) {
        const row = await requireDryRun(transaction, present.id, id);
        const since = changedSince(row, present, await listBoundSymbols(transaction, present.id));
        if (!(await decideDryRun(transaction, id, 'promoted')))
          throw new ApiProblem('conflict', `The dry run is ${row.state} and cannot be promoted: start another one.`);
        if (since.length > 0)
          throw new ApiProblem(
            'conflict',
            `Settings of the profile have changed since the dry run started: ${since.join(', ')}. Drop it and start another one.`,
            { errors: since.map((path) => ({ path, message: 'has changed since the dry run started' })) },
          );
      },
    },
  );
  await announceDryRun(context, profile.id, { id, state: 'promoted' });
  return saved;
}

async function drop(context: ApiContext, { profile, params, commit }: Incoming<typeof dropDryRun>): Promise<undefined> {
  const { id } = await requireDryRun(context.database.kysely, profile.id, params.dryRunId);
  await commit(async ({ transaction }) => {
    const row = await requireDryRun(transaction, profile.id, id);
    if (!(await decideDryRun(transaction, id, 'dropped')))
      throw new ApiProblem('conflict', `The dry run is already ${row.state}.`);
    return { answer: undefined, subject: id, before: { state: row.state }, after: { state: 'dropped' } };
  });
  await announceDryRun(context, profile.id, { id, state: 'dropped' });
  return undefined;
}

export function mountDryRuns({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(startDryRun, (incoming) => start(context, incoming));
  handle(listDryRuns, async ({ profile }) => {
    const rows = await selectDryRuns(kysely, profile.id);
    const bound = rows.length === 0 ? [] : await listBoundSymbols(kysely, profile.id);
    const dryRuns = rows.map((row) => {
      return { ...viewOf(row, profile, bound), result: dryRunSummary.nullable().parse(row.result) };
    });
    return { dryRuns };
  });
  handle(readDryRun, async ({ profile, params }) => {
    const row = await requireDryRun(kysely, profile.id, params.dryRunId);
    return fullView(row, profile, await listBoundSymbols(kysely, profile.id));
  });
  handle(promoteDryRun, (incoming) => promote(context, incoming));
  handle(dropDryRun, (incoming) => drop(context, incoming));
}
