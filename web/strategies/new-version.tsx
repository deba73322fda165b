import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { switchStrategy } from '#api/contract/profile-configs.ts';
import { launchBacktest } from '#api/contract/research.ts';
import { listStrategyFiles } from '#api/contract/strategy-files.ts';
import type { Profile } from '#web/data/answers.ts';
import { call, sendForm } from '#web/data/call.ts';
import { useRead, useRun } from '#web/data/read.ts';
import { useDemo, useMarketClock } from '#web/data/session.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { firstTerms, termsBody } from '#web/ui/research.ts';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { State } from './strategies.tsx';
import { newVersionFor, shortHash } from './version-state.ts';

const EVERY_MS = 15_000;
const NINETY_DAYS_MS = 90 * 86_400_000;

/** Offers the new version of a changed strategy file to a profile that uses an earlier one. */
export function NewVersion({ profile }: { profile: Profile }): ReactNode {
  const [, hash] = profile.strategyName.split('@', 2);
  const { data } = useRead(listStrategyFiles, {}, { every: EVERY_MS, enabled: hash !== undefined });
  const version = newVersionFor(profile.strategyName, data?.versions ?? []);
  if (version === undefined || hash === undefined) return null;
  const to = shortHash(version.hash);
  return (
    <Section title="New version of the strategy" note={`${version.file}, version ${to}`}>
      <p className="p-2">
        {profile.name} uses version {shortHash(hash)}. The file changed <When at={version.seenAt} />.{' '}
        <State version={version} />
      </p>
      <div className="actions">
        <Link to="/strategies/$hash" params={{ hash: version.hash }} search={{ against: hash }} className="btn">
          Changed lines
        </Link>
        <CompareResults profile={profile} strategyName={version.reference} />
        <Confirm
          words={`Use version ${to}…`}
          title={`Use version ${to} for ${profile.name}?`}
          action={`Use version ${to}`}
          failed="Not changed."
          run={() =>
            call(switchStrategy, {
              params: { id: profile.id },
              body: { strategyName: version.reference, config: profile.config },
            })
          }
        >
          <p>Settings, position, stop and target stay. Indicators and memory of the strategy start again.</p>
          <p>A stop never falls by the change. The present version stays in the history.</p>
        </Confirm>
      </div>
    </Section>
  );
}

/** Runs both versions over the last 90 days with the settings of the profile, and opens the comparison of the results. */
function CompareResults({ profile, strategyName }: { profile: Profile; strategyName: string }): ReactNode {
  const demo = useDemo();
  const navigate = useNavigate();
  const marketNow = useMarketClock(profile.accountId);
  const { id } = profile;
  const compare = useRun(
    async (nowMs: number) => {
      // To the minute: a market that began today has no full day.
      const from = new Date(nowMs - NINETY_DAYS_MS).toISOString().slice(0, 10);
      const terms = termsBody({ ...firstTerms(nowMs), days: 'dates', from }, nowMs);
      const now = await sendForm(launchBacktest, { id }, terms);
      const next = await sendForm(launchBacktest, { id }, { ...terms, strategyName });
      return [now.runId, next.runId].join(',');
    },
    { onSuccess: (runs) => navigate({ to: '/profiles/$id/compare', params: { id }, search: { runs } }) },
  );
  if (demo || profile.symbols.length === 0) return null;
  const start = typeof marketNow === 'function' ? () => compare.mutate(marketNow()) : undefined;
  return (
    <>
      <button type="button" className="btn" disabled={start === undefined || compare.isPending} onClick={start}>
        Compare 90 days
      </button>
      <Failure what="Could not start the backtests." error={compare.error} />
    </>
  );
}
