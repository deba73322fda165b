import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LIMITS_FORM } from '#api/contract/forms.ts';
import { readProfileRisk } from '#api/contract/risk.ts';
import type { Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { ProfileFrame } from '#web/profile/profile-frame.tsx';
import { count } from '#web/ui/numbers.ts';
import { amountText, isNear, LimitsPanel } from './limits-panel.tsx';
import { schemaGroups } from './schema-fields.ts';

const LABELS = new Map(
  schemaGroups(LIMITS_FORM, {}).flatMap(({ fields }) => fields.map(({ path, label }) => [path, label] as const)),
);

export function LimitsPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/risk' });
  return (
    <ProfileFrame id={id} part="Limits">
      {(profile) => (
        <>
          <div className="head">
            <h1 className="verdict">
              <Verdict profile={profile} />
            </h1>
            <p className="two">A reached limit stops new buys. Exits and stops always work.</p>
          </div>
          <LimitsPanel profile={profile} />
        </>
      )}
    </ProfileFrame>
  );
}

/** How many limits are near, and the first of them. */
function Verdict({ profile: { id } }: { profile: Profile }): ReactNode {
  const { data } = useRead(readProfileRisk, { params: { id } });
  if (data === undefined) return 'Limits';
  const { standings } = data;
  if (standings.length === 0) return 'No limits set.';
  const near = standings.filter(isNear);
  const [first] = near;
  if (first === undefined) return `${count(standings.length, 'limit')} set, none is near.`;
  const { limit, scope, used, most } = first;
  const name = `${LABELS.get(limit) ?? limit}${scope === 'account' ? ' of the account' : ''}`;
  return `${near.length} of ${count(standings.length, 'limit')} ${near.length === 1 ? 'is' : 'are'} near: ${name}, ${amountText(used)} of ${amountText(most)}.`;
}
