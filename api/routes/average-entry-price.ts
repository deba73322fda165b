import { venueOf } from '#core/account/account.ts';
import { totalOf } from '#core/position/cost-basis.ts';
import { type Decimal, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { requestCostBasis, readLedgerRow } from '#storage/trading/cost-basis.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import { listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import { lockProfile } from '#storage/operator/profiles.ts';
import type { Queue } from '#storage/jobs/queue.ts';
import { auditChange } from '#api/audit.ts';
import { announce } from '#api/frame/bus.ts';
import { notBound } from '#api/views/coins.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { deleteAverageEntryPrice, setAverageEntryPrice } from '#api/contract/profiles.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount, requireFoundProfile, requireProfile } from '#api/require.ts';
import { readFreshWallet } from '#api/frame/venues.ts';

/** What the worker's wallet snapshot says is held of a coin; undefined when it is too old, absent or not readable. */
export async function readHolding(context: ApiContext, account: AccountView, symbol: string): Promise<Holding> {
  const rules = await context.venues.rules(venueOf(account));
  const base = rules?.get(symbol)?.baseAsset;
  if (base === undefined) return rules === undefined ? NO_RULES : UNLISTED;
  const wallet = await readFreshWallet(context, account.id);
  return (wallet === undefined ? undefined : totalOf(wallet.balances, base)) ?? NO_WALLET;
}

/** How much is held, or why that is not known and what to do. */
type Holding = Decimal | { readonly why: string; readonly what: string };
const isKnown = (holding: Holding): holding is Decimal => typeof holding === 'bigint';

const NO_RULES: Holding = {
  why: 'the trading rules of the exchange are not loaded',
  what: 'The worker loads them within minutes of its start: check that it runs, and try again.',
};
const UNLISTED: Holding = {
  why: 'the trading rules of the exchange do not list the coin',
  what: 'Check the coin at the exchange.',
};
const NO_WALLET: Holding = {
  why: 'the worker has reported no holdings of it within the last minute',
  what: 'Check that the worker runs and that the API key of the account is healthy, wait a minute, and try again.',
};
const DISABLED = {
  why: 'the profile is disabled',
  what: 'Enable the profile, wait a minute, and save the price again.',
};

/** A coin that is being added has no row yet: only a running profile's wallet can say how much is held. */
export function requireNewHolding(enabled: boolean, holding: Holding, symbol: string): Decimal {
  if (!enabled) {
    throw new ApiProblem(
      'no_quantity',
      `${symbol} was not added: how much of it is held is only known for an enabled profile. Enable the profile first and add it again, or add it without an average entry price.`,
    );
  }
  if (isKnown(holding)) return holding;
  const { why, what } = holding;
  throw new ApiProblem('no_quantity', `${symbol} was not added: how much is held is not known, as ${why}. ${what}`);
}

/** The snapshot counts for an enabled profile, or where a row stands behind it; the row with a quantity is second. */
function requireHolding(enabled: boolean, holding: Holding, recorded: Decimal): Decimal {
  if (isKnown(holding) && (enabled || recorded > 0n)) return holding;
  if (recorded > 0n) return recorded;
  const { why, what } = enabled && !isKnown(holding) ? holding : DISABLED;
  throw new ApiProblem(
    'no_quantity',
    `The price was not saved: how much is held is not known, as ${why} and no quantity is recorded. ${what}`,
  );
}

interface CostBasisInput {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly price: Decimal;
  readonly quantity: Decimal;
}

/** Writes the row and enqueues the job that applies it, in the transaction of the change; returns the job's id. */
export async function requestCostBasisChange(
  queue: Queue,
  transaction: Transaction,
  input: CostBasisInput,
): Promise<string> {
  const { profileId, symbol } = input;
  await requestCostBasis(transaction, input, input);
  const jobId = await queue.enqueueIn(transaction, { name: 'apply-avg-entry-price', data: { profileId, symbol } });
  if (jobId === undefined) throw new Error('The queue did not take a job that nothing else stands for.');
  return jobId;
}

type Change = Incoming<typeof setAverageEntryPrice> | Incoming<typeof deleteAverageEntryPrice>;

async function change(context: ApiContext, { operator, caller, params, body }: Change): Promise<{ jobId: string }> {
  const { database, queue } = context;
  const { id: profileId, symbol } = params;
  const { accountId } = await requireProfile(database.kysely, operator, profileId);
  const holding = await readHolding(context, await requireAccount(database.kysely, operator, accountId), symbol);
  const jobId = await database.transaction(async (transaction) => {
    const profile = requireFoundProfile(await lockProfile(transaction, operator.user.id, profileId), profileId);
    const bound = await listBoundSymbols(transaction, profileId);
    if (!bound.some((coin) => coin.symbol === symbol)) throw notBound(profileId, symbol);
    const row = await readLedgerRow(transaction, { profileId, symbol });
    const price = body === undefined ? ZERO : requireDecimal(body.averageEntryPrice);
    const recorded = requireDecimal(row?.quantity ?? '0');
    const quantity = body === undefined ? ZERO : requireHolding(profile.enabled, holding, recorded);
    await auditChange(
      transaction,
      { operator, caller },
      {
        action: body === undefined ? 'average-entry-price.delete' : 'average-entry-price.set',
        subject: `${profileId}:${symbol}`,
        before: row === undefined ? null : { averageEntryPrice: row.average_price, quantity: row.quantity },
        after: body === undefined ? null : { ...body, quantity: formatDecimal(quantity) },
      },
    );
    return requestCostBasisChange(queue, transaction, { profileId, symbol, price, quantity });
  });
  await announce(context, { events: [{ topic: 'position', id: profileId, data: { symbol } }] });
  return { jobId };
}

export function mountAverageEntryPrice({ context, handle }: Routes): void {
  handle(setAverageEntryPrice, (incoming) => change(context, incoming));
  handle(deleteAverageEntryPrice, (incoming) => change(context, incoming));
}
