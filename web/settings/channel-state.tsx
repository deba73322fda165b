import type { ReactNode } from 'react';
import { Icon } from '#web/ui/icon.tsx';
import { When } from '#web/ui/when.tsx';
import type { AccountNotifiers } from './account-notifiers.ts';

interface StateProps {
  /** Null while the channel is not set up. */
  enabled: boolean | null;
  /** The last message to the channel. */
  last: AccountNotifiers['deliveries'][number] | undefined;
}

/** State of a channel in a few words: from its last message, where there is one. */
export function ChannelState({ enabled, last }: StateProps): ReactNode {
  if (enabled === null) return <span className="note">not set up</span>;
  if (!enabled) return <span className="note">off</span>;
  if (last === undefined) return <span className="note">on</span>;
  return last.error === null ? (
    <span className="note">
      <Icon name="ok" /> works
    </span>
  ) : (
    <span className="care">
      <Icon name="warn" /> failed <When at={last.at} wall />
    </span>
  );
}

/** The switch of a channel, next to its summary. */
export function ChannelSwitch({
  title,
  on,
  disabled,
  onChange,
}: {
  title: string;
  on: boolean;
  disabled: boolean;
  onChange: (on: boolean) => void;
}): ReactNode {
  return (
    <span className="switch">
      <input
        type="checkbox"
        role="switch"
        aria-label={title}
        aria-checked={on}
        checked={on}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
      />
    </span>
  );
}
