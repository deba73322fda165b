import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Coin, Profile } from '#web/data/queries.ts';
import type { Changes } from '#core/config-path.ts';
import { editOf } from '#web/ui/research.ts';

interface PutProps {
  profile: Profile;
  /** The coin that the changes were found on; one with settings of its own is edited itself. */
  coin?: Coin | undefined;
  changes: Changes;
  words?: string;
  small?: boolean;
  label?: string;
}

/** Opens the settings form with changes in it. Nothing is saved before the operator does. */
export function PutInForm({ profile, coin, changes, words = 'Put into the form', small, label }: PutProps): ReactNode {
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
