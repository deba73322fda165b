import { type Account, venueOf } from '#core/account/account.ts';
import { APPROVAL_REASONS, describe } from '#core/decision/decision.ts';
import { pastLimitUsage, presentLimitUsage, riskSubjects } from '#core/account/risk.ts';
import { readRisk } from '#storage/trading/risk.ts';
import type { ReadContext } from '#api/frame/context.ts';

/** Limit usage of an account and each of its profiles at the market time of its venue. */
export async function limitUsageOf({ database, venues, now }: ReadContext, account: Account) {
  const nowMs = now().getTime();
  const at = new Date((await venues.marketMs(venueOf(account), nowMs)) ?? nowMs);
  return riskSubjects(await readRisk(database.kysely, account.id, at)).map((subject) => ({
    scope: subject.scope,
    subject: subject.subject,
    limits: subject.limits,
    standings: [...pastLimitUsage(subject, at), ...presentLimitUsage(subject, at)].map(
      ({ limit, reason, blocked, until, numbers }) => ({
        ...{ limit, blocked, scope: numbers.scope, used: numbers.used, most: numbers.most },
        until,
        sentence: blocked ? describe(APPROVAL_REASONS[reason], numbers) : null,
      }),
    ),
  }));
}
