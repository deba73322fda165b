import { z } from 'zod';
import { manualOrder } from '#core/order/manual-order.ts';
import { readAccountHealth, listAccountOrders } from '#api/contract/account-state.ts';
import { accountId, orderId, profileId, symbolName } from '#api/contract/fields.ts';
import { readBlocks } from '#api/contract/diagnosis.ts';
import { setKillSwitch, setProfileKillSwitch } from '#api/contract/halts.ts';
import type { Call, Operation } from '#api/contract/operation.ts';
import { listLogs, readDashboard } from '#api/contract/records.ts';
import { readPerformance } from '#api/contract/performance.ts';
import { listConfigHistory } from '#api/contract/profile-configs.ts';
import { lintProfile, listProfiles, readCoin, readProfile } from '#api/contract/profiles.ts';
import { cancelProposal, listProposals, proposeOrder } from '#api/contract/proposals.ts';
import { readOrderProof } from '#api/contract/proof.ts';
import {
  compareBacktests,
  launchBacktest,
  launchSweep,
  listBacktests,
  listSweeps,
  readBacktest,
  readSweep,
} from '#api/contract/research.ts';
import { readProfileRisk } from '#api/contract/risk.ts';
import { listClosedTrades, listEquity, listTradeArchive } from '#api/contract/trades.ts';
import { readWhy } from '#api/contract/why.ts';

/** A tool of the assistant: an operation of the contract with the input of a person's question. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model: what it answers, and when to use it. */
  readonly description: string;
  readonly operation: Operation;
  readonly input: z.ZodObject;
  /** The parts of the call; the input was parsed with `input`. */
  readonly place: (input: Readonly<Record<string, unknown>>) => LooseCall;
  /** Its answer is a page: one that is too long is requested again with half the limit. */
  readonly pages?: true;
  /** It only adds safety or removes nothing. */
  readonly harmless?: true;
}

export interface LooseCall {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface ToolInput<Op extends Operation, Input extends z.ZodObject>
  extends Omit<Tool, 'operation' | 'input' | 'place'> {
  readonly operation: Op;
  readonly input: Input;
  readonly place: (input: z.output<Input>) => Call<Op>;
}

const tool = <Op extends Operation, Input extends z.ZodObject>({
  place,
  input,
  ...row
}: ToolInput<Op, Input>): Tool => ({ ...row, input, place: (given) => looseOf(place(input.parse(given))) });

/** The parts of a call without the type of its operation. */
const looseOf = (call: unknown): LooseCall => (typeof call === 'object' && call !== null ? call : {});

const profile = profileId.describe('Id of a profile, from list_profiles');
const account = accountId.describe('Id of an account, from list_profiles or overview');
const symbol = symbolName.describe('Coin pair such as BTCUSDT');
/** The operation checks the form; its pattern is too long for the list of tools. */
const instant = z.string().max(40);
const from = instant.describe('Start, ISO 8601 in UTC');
const to = instant.describe('End, ISO 8601 in UTC');
const limit = z.number().int().min(1).max(50).default(20).describe('Rows of a page');
const cursor = z.string().max(400).optional().describe('nextCursor of the page before');
const reason = z.string().min(1).max(300).describe('Why; it is shown to the operator');
const none = z.strictObject({});
const ofProfile = z.strictObject({ id: profile });

const pick = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

const STATE: readonly Tool[] = [
  tool({
    ...{ name: 'overview', title: 'Overview', operation: readDashboard, input: none, place: () => ({}) },
    description: 'Accounts, kill switches, profiles and coins with positions and last decisions. Start here.',
  }),
  tool({
    ...{ name: 'list_profiles', title: 'Profiles', operation: listProfiles, input: none, place: () => ({}) },
    description: 'Profiles with id, account, strategy, coins and whether they are enabled.',
  }),
  tool({
    ...{ name: 'profile_settings', title: 'Settings of a profile', operation: readProfile, input: ofProfile },
    place: ({ id }) => ({ params: { id } }),
    description: 'The stored config of a profile, and its coins.',
  }),
  tool({
    ...{ name: 'coin_status', title: 'One coin', operation: readCoin, input: z.strictObject({ id: profile, symbol }) },
    place: (params) => ({ params }),
    description: 'Position, cost, stop, last decision, and newest orders and fills of a coin of a profile.',
  }),
  tool({
    ...{ name: 'account_health', title: 'Health of an account', operation: readAccountHealth },
    input: z.strictObject({ id: account }),
    place: ({ id }) => ({ params: { id } }),
    description: 'Whether an account trades now: worker, API key, kill switches, limits, what is open, gains of today.',
  }),
  tool({
    ...{ name: 'risk_status', title: 'Risk limits', operation: readProfileRisk, input: ofProfile },
    place: ({ id }) => ({ params: { id } }),
    description: 'Risk limits of a profile and how much of each is used.',
  }),
];

const REASONS: readonly Tool[] = [
  tool({
    ...{ name: 'why_no_buy', title: 'Why it did not buy', operation: readWhy },
    input: z.strictObject({ id: profile, symbol, from, to: to.optional() }),
    place: ({ id, symbol: coin, from: start, to: end }) => ({
      params: { id },
      query: { symbol: coin, from: start, ...(end === undefined ? {} : { to: end }) },
    }),
    description:
      'Reasons that kept a coin from being bought between two times (92 days at most): reasons with their share of the time, the nearest miss, and changes of settings. Cite row ids.',
  }),
  tool({
    ...{ name: 'what_blocks_now', title: 'Blockers of now', operation: readBlocks },
    input: z.strictObject({ id: profile, symbol: symbol.optional() }),
    place: ({ id, ...query }) => ({ params: { id }, query: pick(query) }),
    description:
      'Finds what keeps a profile, or one of its coins, from buying at this moment: checks of worker, key, kill switches, limits and settings, each with what to do. For a past time use why_no_buy.',
  }),
  tool({
    ...{ name: 'list_decisions', title: 'Decisions', operation: listLogs, pages: true },
    input: z.strictObject({
      ...{ id: profile, symbol: symbol.optional(), from: from.optional(), to: to.optional(), limit, cursor },
      level: z.string().max(60).optional().describe('Comma list of debug, info, warn, error'),
      q: z.string().max(200).optional().describe('Text to search for'),
    }),
    place: ({ id, ...query }) => ({ params: { id }, query: pick(query) }),
    description: 'Log rows of a profile with their numbers, newest first.',
  }),
  tool({
    ...{ name: 'order_proof', title: 'Proof of an order', operation: readOrderProof },
    input: z.strictObject({ id: orderId }),
    place: ({ id }) => ({ params: { id } }),
    description: 'The way of one order from its decision to the ledger, with a verdict.',
  }),
  tool({
    ...{ name: 'config_history', title: 'Earlier settings', operation: listConfigHistory, pages: true },
    input: z.strictObject({ id: profile, limit, before: z.number().int().optional().describe('Versions before it') }),
    place: ({ id, ...query }) => ({ params: { id }, query: pick(query) }),
    description: 'Configs that a profile had, newest first.',
  }),
  tool({
    ...{ name: 'check_config', title: 'Check a config', operation: lintProfile },
    input: z.strictObject({ id: profile, config: z.record(z.string().max(100), z.unknown()) }),
    place: ({ id, config }) => ({ params: { id }, body: { config } }),
    description: 'Checks a whole config without saving it: what a save would refuse, and settings without effect.',
  }),
];

const RESULTS: readonly Tool[] = [
  tool({
    ...{ name: 'list_orders', title: 'Orders', operation: listAccountOrders, pages: true },
    input: z.strictObject({ id: account, limit, cursor }),
    place: ({ id, ...query }) => ({ params: { id }, query: pick(query) }),
    description: 'Orders of all profiles of an account, newest first.',
  }),
  tool({
    ...{ name: 'list_trades', title: 'Closed trades', operation: listTradeArchive, pages: true },
    input: z.strictObject({
      ...{ id: profile, symbol: symbol.optional(), from: from.optional(), to: to.optional(), limit, cursor },
    }),
    place: ({ id, ...query }) => ({ params: { id }, query: pick(query) }),
    description: 'Closed trades of a profile with net P&L and exit reason, newest first, and their totals.',
  }),
  tool({
    ...{ name: 'trades_by_period', title: 'Trades by period', operation: listClosedTrades },
    input: z.strictObject({ id: profile, period: z.enum(['day', 'week', 'month', 'all']).default('day') }),
    place: ({ id, period }) => ({ params: { id }, query: { period } }),
    description: 'Closed trades of a profile summed by day, week or month.',
  }),
  tool({
    ...{ name: 'performance', title: 'Performance', operation: readPerformance },
    input: z.strictObject({ id: account, period: z.enum(['1w', '1m', '3m', 'ytd', 'all']).default('1m') }),
    place: ({ id, period }) => ({ params: { id }, query: { period } }),
    description: 'Results of an account in a period: net P&L, ratios, drawdown, fees and contributions.',
  }),
  tool({
    ...{ name: 'equity', title: 'Equity', operation: listEquity },
    input: z.strictObject({ id: profile, from: from.optional(), to: to.optional() }),
    place: ({ id, ...query }) => ({ params: { id }, query: { ...pick(query), limit: '200' } }),
    description: 'Equity of a profile against buy and hold, at most 200 points.',
  }),
];

const run = z.uuid().describe('Id of a backtest, from list_backtests');

const RESEARCH: readonly Tool[] = [
  tool({
    ...{ name: 'list_backtests', title: 'Backtests', operation: listBacktests, input: ofProfile },
    place: ({ id }) => ({ params: { id } }),
    description: 'Backtests of a profile with metrics and warnings, newest first.',
  }),
  tool({
    ...{ name: 'get_backtest', title: 'One backtest', operation: readBacktest },
    input: z.strictObject({ id: profile, run }),
    place: ({ id, run: runId }) => ({ params: { id, runId } }),
    description: 'State, metrics by coin and warnings of a backtest. Its lists are shortened.',
  }),
  tool({
    ...{ name: 'compare_backtests', title: 'Compare backtests', operation: compareBacktests },
    input: z.strictObject({ id: profile, runs: z.array(run).min(2).max(8) }),
    place: ({ id, runs }) => ({ params: { id }, query: { runs: runs.join(',') } }),
    description: 'Two to eight backtests side by side, and the settings in which they differ.',
  }),
  tool({
    ...{ name: 'list_sweeps', title: 'Sweeps', operation: listSweeps, input: ofProfile },
    place: ({ id }) => ({ params: { id } }),
    description: 'Sweeps of a profile with their progress, newest first.',
  }),
  tool({
    ...{ name: 'get_sweep', title: 'One sweep', operation: readSweep },
    input: z.strictObject({ id: profile, sweep: z.uuid().describe('Id of a sweep, from list_sweeps') }),
    place: ({ id, sweep: sweepId }) => ({ params: { id, sweepId } }),
    description: 'Best settings of a sweep, the probability that they are luck, and its progress.',
  }),
  tool({
    ...{ name: 'run_backtest', title: 'Run a backtest', operation: launchBacktest, harmless: true },
    input: z.strictObject({
      ...{ id: profile, from, to: to.optional() },
      overrideConfig: z
        .record(z.string().max(100), z.unknown())
        .default({})
        .describe('Settings to change for this run'),
    }),
    place: ({ id, from: start, to: end, overrideConfig }) => ({
      params: { id },
      body: { from: start, ...(end === undefined ? {} : { to: end }), overrideConfig },
    }),
    description: 'Runs a profile on past candles, with settings to try. Answers a run id; read it with get_backtest.',
  }),
  tool({
    ...{ name: 'run_sweep', title: 'Run a sweep', operation: launchSweep, harmless: true },
    input: z.strictObject({ ...{ id: profile, symbol, from, to: to.optional() }, knobs: z.string().min(1).max(2000) }),
    place: ({ id, symbol: coin, from: start, to: end, knobs }) => ({
      params: { id },
      body: { symbol: coin, from: start, ...(end === undefined ? {} : { to: end }), knobs },
    }),
    description:
      'Tries many settings on one coin; values of settings such as "ema.fast=5..50:5; ema.slow=60,100". Counts as trials.',
  }),
];

const STOPPING: readonly Tool[] = [
  tool({
    ...{ name: 'stop_buying', title: 'Stop buying', operation: setKillSwitch, harmless: true },
    input: z.strictObject({ reason }),
    place: ({ reason: why }) => ({ body: { engaged: true, reason: why } }),
    description:
      'Engages the kill switch of everything: nothing is bought until the operator releases it. Exits continue.',
  }),
  tool({
    ...{ name: 'stop_profile', title: 'Stop buying in a profile', operation: setProfileKillSwitch, harmless: true },
    input: z.strictObject({ id: profile, reason }),
    place: ({ id, reason: why }) => ({ params: { id }, body: { engaged: true, reason: why } }),
    description: 'Engages the kill switch of one profile. Only the operator releases it. Exits continue.',
  }),
];

const PROPOSING: readonly Tool[] = [
  tool({
    ...{ name: 'propose_order', title: 'Propose an order', operation: proposeOrder, harmless: true },
    input: z.strictObject({
      ...{ id: profile, symbol, reason },
      order: manualOrder.describe('Amounts are decimal text; a market buy has quoteAmount, a limit order a price'),
    }),
    place: ({ id, symbol: coin, order, reason: why }) => ({
      params: { id, symbol: coin },
      body: { order, reason: why },
    }),
    description:
      'Proposes a buy or a sale of a coin to the operator. Nothing is traded until the operator approves it. Answers whether the gate would allow it, with cost, fee and worst loss.',
  }),
  tool({
    ...{ name: 'list_proposals', title: 'Proposals', operation: listProposals },
    input: z.strictObject({ limit }),
    place: ({ limit: most }) => ({ query: { limit: String(most) } }),
    description: 'Your proposals, newest first: state, judgement of the worker, and outcome.',
    pages: true,
  }),
  tool({
    ...{ name: 'cancel_proposal', title: 'Withdraw a proposal', operation: cancelProposal, harmless: true },
    input: z.strictObject({ id: z.uuid().describe('Id of a proposal, from list_proposals') }),
    place: ({ id }) => ({ params: { id } }),
    description: 'Withdraws one of your open proposals.',
  }),
];

/** Every tool. No tool places an order, releases a kill switch, changes settings or reads secrets. */
export const TOOLS: readonly Tool[] = [...STATE, ...REASONS, ...RESULTS, ...RESEARCH, ...PROPOSING, ...STOPPING];
