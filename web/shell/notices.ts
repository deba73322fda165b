interface Words {
  readonly label: string;
  readonly note?: string;
}

const WORDS: Readonly<Record<string, Words>> = {
  'job-failed': {
    label: 'Background work failed for good',
    note: 'It is then listed under Activity, as work that was given up.',
  },
  'exchange-reset': { label: 'A test exchange was reset', note: 'Its accounts began anew.' },
  'orphan-order': { label: 'An order that no profile tracks was found', note: 'An orphan order; it locks its coins.' },
  'key-error': { label: 'The exchange refused an API key' },
  'account-fault': { label: 'An account stopped again and again', note: 'And when it runs again.' },
  'backup-failed': { label: 'A backup failed' },
};

/** What an installation's message is about; one without words here is named as it is. */
export const opsWords = (name: string): Words => WORDS[name] ?? { label: name.replaceAll('-', ' ') };
