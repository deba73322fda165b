import type { ReactNode } from 'react';
import { listProfiles } from '#api/contract/profiles.ts';
import type { Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { Notice } from '#web/ui/notice.tsx';
import { ALONE, type Sharing, SHARINGS } from '#web/ui/sharing.ts';

/** The choices of a shared balance; empty when there is no choice. */
export function useSharings(
  profile: Profile,
  coins: { readonly count: number; readonly together: boolean },
): Sharing[] {
  const { data } = useRead(listProfiles, {});
  const isOther = ({ id, accountId, symbols }: Profile): boolean =>
    accountId === profile.accountId && id !== profile.id && symbols.length > 0;
  const others = data?.profiles.some(isOther) === true;
  const separate = coins.count > 1 && !coins.together;
  if (!separate && !others) return [];
  return ['shared', ...(separate ? (['separate'] as const) : []), ...(others ? (['account'] as const) : [])];
}

interface SharingProps {
  sharing: Sharing;
  sharings: readonly Sharing[];
  /** Number of chosen coins. */
  count: number;
  error: string | undefined;
  onChange: (sharing: Sharing) => void;
}

/** Which coins share the balance. */
export function SharingFields({ sharing, sharings, count, error, onChange }: SharingProps): ReactNode {
  if (sharings.length === 0) return null;
  return (
    <div role="radiogroup" aria-label="Balance">
      {sharings.map((option) => {
        const { words, note } = option === 'shared' && count < 2 ? ALONE : SHARINGS[option];
        return (
          <label key={option} className={option === sharing ? 'pick on' : 'pick'}>
            <input type="radio" name="sharing" checked={option === sharing} onChange={() => onChange(option)} />
            <span>
              {words}
              <span className="note block">{note}</span>
            </span>
          </label>
        );
      })}
      {error === undefined ? null : <Notice tone="loss">This choice {error}.</Notice>}
    </div>
  );
}
