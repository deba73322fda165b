interface Words {
  readonly label: string;
  readonly note?: string;
}

const WORDS: Readonly<Record<string, Words>> = {
  'job-failed': {
    label: 'A job failed',
    note: 'It is listed under Activity, Failed jobs.',
  },
  'exchange-reset': { label: 'A test exchange was reset', note: 'Its accounts start from zero.' },
  'orphan-order': { label: 'An orphan order was found', note: 'No profile tracks it; it locks funds.' },
  'key-error': { label: 'The exchange rejected an API key' },
  'account-fault': { label: 'An account stopped repeatedly', note: 'Also when it runs again.' },
  'backup-failed': { label: 'A backup failed' },
  'disk-low': { label: 'A disk is nearly full', note: 'Less than 1 GB is free.' },
};

/** Label of a system notification; an unknown one keeps its name. */
export const opsLabel = (name: string): Words => WORDS[name] ?? { label: name.replaceAll('-', ' ') };
