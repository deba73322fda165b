import { venueOf } from '#core/account/account.ts';
import type { AccountId } from '#core/ids.ts';
import { checkKey } from '#exchange/check-key.ts';
import { endpointsOf } from '#exchange/endpoints.ts';
import { loadAccountsToRun, saveKeyStatus } from '#storage/trading/worker-profiles.ts';
import type { WorkerContext } from '#worker/context.ts';
import { notifyAccount } from '#worker/notify.ts';

/**
 * Checks the stored key with the exchange. Only a definite answer changes its status, which is returned; null without a
 * key.
 */
export async function verifyApiKey(context: WorkerContext, accountId: AccountId): Promise<'healthy' | 'error' | null> {
  const found = (await loadAccountsToRun(context.database)).find(({ account }) => account.id === accountId);
  if (found === undefined || found.key === null) return null;
  const { account, key } = found;
  const venue = context.venues.of(venueOf(account));
  await venue.market.clock.sync();
  const { restUrl } = endpointsOf(venue.venue, context.env);
  const { clock } = venue.market;
  const live = venue.venue === 'live';
  const health = await checkKey({ restUrl, apiKey: key.apiKey, secret: key.secret, clock, live });
  if (health.status === null)
    throw new Error(`The exchange gave no definite answer about the key of account ${account.name}.`);
  const cause = health.status === 'error' ? health.cause : health.unchecked;
  await saveKeyStatus(context.database, key, { status: health.status, cause });
  context.announcer.announce({ topic: 'account', id: accountId, data: {} });
  if (health.status === 'healthy' || key.status === 'error') return health.status;
  const text = `The account does not trade until the key works: ${cause}`;
  await notifyAccount(context.notifyDeps, accountId, {
    event: 'key-error',
    title: `The exchange refuses the API key of ${account.name}`,
    text,
  });
  return health.status;
}
