import { venueOf } from '#core/account/account.ts';
import { totalOf } from '#core/position/cost-basis.ts';
import { type Decimal, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { requestCostBasis, readLedgerRow } from '#storage/trading/cost-basis.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import type { Queue } from '#storage/jobs/queue.ts';
import { announce } from '#api/frame/bus.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { deleteAverageEntryPrice, setAverageEntryPrice } from '#api/contract/profiles.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { readFreshWallet } from '#api/frame/venues.ts';

/** Held quantity of a coin in the worker's wallet snapshot, or why it is unknown. */
export async function readHolding(context: ApiContext, account: AccountView, symbol: string): Promise<Holding> {
  const rules = await context.venues.rules(venueOf(account));
  const base = rules?.get(symbol)?.baseAsset;
  if (base === undefined) return rules === undefined ? NO_RULES : UNLISTED;
  const wallet = await readFreshWallet(context, account.id);
  return (wallet === undefined ? undefined : totalOf(wallet.balances, base)) ?? NO_WALLET;
}

/** The held quantity, or why it is unknown and what to do. */
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

/** A new coin has no row yet: only the wallet of an enabled profile contains the held quantity. */
export function requireNewHolding(enabled: boolean, holding: Holding, symbol: string): Decimal {
  if (!enabled) {
    throw new ApiProblem(
      'no_quantity',
      `${symbol} was not added: the held quantity is only known for an enabled profile. Enable the profile first and add it again, or add it without an average entry price.`,
    );
  }
  if (isKnown(holding)) return holding;
  const { why, what } = holding;
  throw new ApiProblem('no_quantity', `${symbol} was not added: the held quantity is unknown, because ${why}. ${what}`);
}

/** Uses the snapshot for an enabled profile or where a row exists; else the quantity of the row. */
function requireHolding(enabled: boolean, holding: Holding, recorded: Decimal): Decimal {
  if (isKnown(holding) && (enabled || recorded > 0n)) return holding;
  if (recorded > 0n) return recorded;
  const { why, what } = enabled && !isKnown(holding) ? holding : DISABLED;
  throw new ApiProblem(
    'no_quantity',
    `The price was not saved: the held quantity is unknown, because ${why} and no quantity is recorded. ${what}`,
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
  if (jobId === undefined) throw new Error('The queue refused a job without a duplicate.');
  return jobId;
}

type Change = Incoming<typeof setAverageEntryPrice> | Incoming<typeof deleteAverageEntryPrice>;

async function change(context: ApiContext, { readAccount, commit, params, body }: Change): Promise<{ jobId: string }> {
  const { queue } = context;
  const { id: profileId, symbol } = params;
  const holding = await readHolding(context, await readAccount(), symbol);
  const jobId = await commit(async ({ transaction, profile }) => {
    const row = await readLedgerRow(transaction, { profileId, symbol });
    const price = body === undefined ? ZERO : requireDecimal(body.averageEntryPrice);
    const recorded = requireDecimal(row?.quantity ?? '0');
    const quantity = body === undefined ? ZERO : requireHolding(profile.enabled, holding, recorded);
    return {
      answer: await requestCostBasisChange(queue, transaction, { profileId, symbol, price, quantity }),
      before: row === undefined ? null : { averageEntryPrice: row.average_price, quantity: row.quantity },
      after: body === undefined ? null : { ...body, quantity: formatDecimal(quantity) },
    };
  });
  await announce(context, { events: [{ topic: 'position', id: profileId, data: { symbol } }] });
  return { jobId };
}

export function mountAverageEntryPrice({ context, handle }: Routes): void {
  handle(setAverageEntryPrice, (incoming) => change(context, incoming));
  handle(deleteAverageEntryPrice, (incoming) => change(context, incoming));
}
