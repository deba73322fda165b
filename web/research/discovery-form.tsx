import type { ReactNode } from 'react';
import type { DiscoveryConfig } from '#core/research/discovery.ts';
import type { ProfileId } from '#core/ids.ts';
import { changeDiscovery, type readDiscovery } from '#api/contract/discovery.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import { DISCOVERY_FIELDS } from './discovery-labels.ts';
import { TextForm } from '#web/ui/text-form.tsx';

interface FormProps {
  profileId: ProfileId;
  config: DiscoveryConfig;
  onSaved: (saved: Answer<typeof readDiscovery>) => void;
}

/** The criteria for a proposed coin. */
export function DiscoveryForm({ profileId, config, onSaved }: FormProps): ReactNode {
  const numbers = DISCOVERY_FIELDS.map(({ name, label, note, unit }) => ({
    name,
    label,
    note,
    unit: unit ?? (name === 'minPairVolume' || name === 'minAssetVolume' ? config.quoteAsset : ''),
    input: { inputMode: 'decimal' as const },
  }));
  return (
    <TextForm
      first={{
        ...Object.fromEntries(DISCOVERY_FIELDS.map(({ name }) => [name, String(config[name])])),
        quoteAsset: config.quoteAsset,
        blacklist: config.blacklist.join(', '),
      }}
      fields={[
        { name: 'quoteAsset', label: 'Quote asset', note: 'Such as USDT.' },
        ...numbers,
        {
          name: 'blacklist',
          label: 'Exclude',
          note: 'Pairs, separated by commas.',
          input: { required: false },
        },
      ]}
      submit={async (values) => {
        const body = {
          ...Object.fromEntries(DISCOVERY_FIELDS.map(({ name }) => [name, Number(values[name])])),
          quoteAsset: (values['quoteAsset'] ?? '').trim().toUpperCase(),
          blacklist: (values['blacklist'] ?? '')
            .toUpperCase()
            .split(',')
            .map((pair) => pair.trim())
            .filter((pair) => pair !== ''),
        };
        onSaved(await call(changeDiscovery, { params: { id: profileId }, body }));
      }}
      action="Save criteria"
      failed="Not saved."
      done="Saved. The next search uses it."
    />
  );
}
