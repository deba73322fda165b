import { totalOf } from '#core/position/cost-basis.ts';
import { absolute, type Decimal, formatDecimal, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import type { OutsideChange } from '#core/position/ledger.ts';
import type { LedgerBalance } from '#core/ports/store.ts';
import type { TradingPort } from '#core/ports/exchange.ts';
import { isCertain } from '#engine/state/coin.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import { type BasisDeps, isSettled, report } from '#engine/runner/cost-basis.ts';
import { LeaseLost } from '#engine/state/ends-run.ts';

/** Result of the check; `undecided` carries the reason why nothing was compared this time. */
export type IdentityResult =
  | { readonly kind: 'holds' }
  | { readonly kind: 'booked'; readonly changes: readonly OutsideChange[] }
  | { readonly kind: 'undecided'; readonly cause: string };

const MOST_TRIES = 3;
const BUSY = 'the account is being traded right now';
/** Step for assets that are not the base of a running coin: the exchange keeps them exact to this amount. */
const SMALLEST = requireDecimal('0.00000001');

/**
 * Checks that ledger plus untracked holdings equal the wallet, within one step per asset. A difference is recorded as a
 * ledger row with a reason and reported. The first check of an epoch counts everything outside the ledger as untracked.
 * The check does nothing unless every execution is recorded, before and after the wallet was read.
 */
export async function checkIdentity(
  deps: BasisDeps,
  trading: TradingPort,
  runners: readonly CoinRunner[],
): Promise<IdentityResult> {
  let result: IdentityResult = { kind: 'undecided', cause: BUSY };
  for (let tries = 0; tries < MOST_TRIES && result.kind === 'undecided'; tries++)
    result = await attempt(deps, trading, runners);
  const { log, account } = deps;
  if (result.kind === 'booked') reportChanges(deps, runners, result.changes);
  if (result.kind === 'undecided') {
    const fields = { event: 'identity_not_checked', accountId: account.id, cause: result.cause };
    log.info(fields, `Ledger and wallet of ${account.name} were not compared this time: ${result.cause}.`);
  }
  return result;
}

async function attempt(deps: BasisDeps, trading: TradingPort, runners: readonly CoinRunner[]): Promise<IdentityResult> {
  const { store, account, fencing, now } = deps;
  const booked = await store.ledgerBalance(account);
  const wallet = await trading.wallet().catch(() => undefined);
  if (wallet === undefined) return { kind: 'undecided', cause: 'the wallet could not be read' };
  const open = await openCause(deps, runners);
  if (open !== undefined) return { kind: 'undecided', cause: open };
  const changes = changesOf(booked, wallet.wallet.balances, runners);
  if (changes === undefined) return { kind: 'undecided', cause: 'the wallet was not readable' };
  if (changes.length === 0) return { kind: 'holds' };
  const result = await store.bookOutside({ account, fencing, at: now(), booked, changes });
  if (result === 'lost-lease') throw new LeaseLost();
  return result === 'booked' ? { kind: 'booked', changes } : { kind: 'undecided', cause: BUSY };
}

/** Why it is not certain that every execution is recorded; undefined when it is. */
async function openCause({ store, account }: BasisDeps, runners: readonly CoinRunner[]): Promise<string | undefined> {
  const followed = new Set(runners.flatMap(({ coin }) => [...coin.live.keys()]));
  for (const { clientOrderId } of await store.liveOrders(account.id))
    if (!followed.has(clientOrderId)) return `order ${clientOrderId} is not watched`;
  for (const { coin } of runners) {
    const unknown = [...coin.live.values()].find((live) => !isCertain(live));
    if (unknown !== undefined) return `the outcome of order ${unknown.record.clientOrderId} is not certain`;
    if (!(await isSettled(coin).catch(() => false))) return `executions of ${coin.symbol} are not recorded yet`;
  }
  return undefined;
}

/** Differences between wallet and ledger; undefined when an amount of the wallet is unreadable. */
function changesOf(
  { begun, sums }: LedgerBalance,
  balances: Parameters<typeof totalOf>[0],
  runners: readonly CoinRunner[],
): OutsideChange[] | undefined {
  const expected = new Map(sums.map(({ asset, sum }) => [asset, sum]));
  const changes: OutsideChange[] = [];
  for (const asset of new Set([...expected.keys(), ...Object.keys(balances)])) {
    const wallet = totalOf(balances, asset);
    if (wallet === undefined) return undefined;
    const amount = subtract(wallet, expected.get(asset) ?? ZERO);
    const least = begun ? stepOf(asset, runners) : SMALLEST;
    if (absolute(amount) >= least) changes.push({ asset, amount, reason: begun ? 'unexplained' : 'untracked', wallet });
  }
  return changes;
}

const stepOf = (asset: string, runners: readonly CoinRunner[]): Decimal =>
  runners.find(({ coin }) => coin.rules.baseAsset === asset)?.coin.rules.lot.step ?? SMALLEST;

function reportChanges(deps: BasisDeps, runners: readonly CoinRunner[], changes: readonly OutsideChange[]): void {
  for (const { asset, amount, reason, wallet } of changes) {
    const numbers = {
      asset,
      wallet: formatDecimal(wallet),
      expected: formatDecimal(subtract(wallet, amount)),
      difference: formatDecimal(amount),
    };
    const fields = { event: `ledger_${reason}`, accountId: deps.account.id, ...numbers };
    if (reason === 'untracked') {
      deps.log.info(
        fields,
        `${numbers.difference} ${asset} of the wallet belongs to no profile: it counts as untracked.`,
      );
      continue;
    }
    const msg = `The wallet holds ${numbers.wallet} ${asset}; ledger and untracked holdings sum to ${numbers.expected}. The difference of ${numbers.difference} ${asset} is recorded as unexplained. Typical causes are deposits, withdrawals and manual trades.`;
    const coins = runners.filter(({ coin: { rules } }) => rules.baseAsset === asset || rules.quoteAsset === asset);
    const affected = new Map(coins.map(({ coin }) => [coin.profile.id, coin.symbol]));
    if (affected.size === 0) deps.log.warn(fields, msg);
    for (const [profileId, symbol] of affected)
      report(deps, { profileId, symbol }, { level: 'warn', event: fields.event, msg, numbers });
  }
}
