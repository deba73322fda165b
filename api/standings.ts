import { APPROVAL_REASONS, describe } from '#core/decision.ts';
import { pastStandings, presentStandings, type RiskSubject } from '#core/risk.ts';

/** How each limit that is set stands, in the words of the contract. */
export const standingsOf = (subjects: readonly RiskSubject[], at: Date) =>
  subjects
    .flatMap((each) => [...pastStandings(each, at), ...presentStandings(each, at)])
    .map(({ limit, reason, blocked, until, numbers }) => ({
      ...{ limit, blocked, scope: numbers.scope, used: numbers.used, most: numbers.most },
      until: until?.toISOString() ?? null,
      sentence: blocked ? describe(APPROVAL_REASONS[reason], numbers) : null,
    }));
