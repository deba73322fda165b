import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Changes } from '#core/config-path.ts';
import type { Coin, Profile } from '#web/data/answers.ts';
import { editOf } from '#web/ui/research.ts';

interface PutProps {
  profile: Profile;
  /** The coin of the changes; a coin with its own settings is edited instead of the profile. */
  coin?: Coin | undefined;
  changes: Changes;
  words?: string;
  small?: boolean;
  label?: string;
}

/** Opens the settings form with changes filled in; nothing is saved. */
export function OpenInSettings({
  profile,
  coin,
  changes,
  words = 'Open in settings',
  small,
  label,
}: PutProps): ReactNode {
  const own = coin !== undefined && Object.keys(coin.overrideConfig).length > 0;
  return (
    <Link
      className={small === true ? 'btn small' : 'btn'}
      aria-label={label}
      to="/profiles/$id/config"
      params={{ id: profile.id }}
      search={{ ...(own ? { coin: coin.symbol } : {}), edit: editOf(changes) }}
    >
      {words}
    </Link>
  );
}
