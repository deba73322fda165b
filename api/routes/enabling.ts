import { saveProfile } from '#storage/operator/profiles.ts';
import { disableProfile, enableProfile } from '#api/contract/profiles.ts';
import { requireCertificate } from '#api/checks/certificate.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { requireProfile } from '#api/require.ts';
import { profileView } from '#api/views/views.ts';
import { announceProfile } from './profiles.ts';

type Enabling = Incoming<typeof enableProfile> | Incoming<typeof disableProfile>;

export function mountEnabling({ context, handle }: Routes): void {
  const setEnabled = async ({ operator, readAccount, commit, params }: Enabling, enabled: boolean) => {
    const account = await readAccount();
    const saved = await commit(async ({ transaction, profile }) => {
      if (profile.enabled === enabled) return { answer: profile, unchanged: true };
      await requireCertificate(transaction, { strategyName: profile.strategyName, enabled, account });
      await saveProfile(transaction, profile.id, { enabled });
      const answer = await requireProfile(transaction, operator, profile.id);
      return { answer, before: { enabled: profile.enabled }, after: { enabled } };
    });
    await announceProfile(context, params.id);
    return profileView(saved);
  };

  handle(enableProfile, (incoming) => setEnabled(incoming, true));
  handle(disableProfile, (incoming) => setEnabled(incoming, false));
}
