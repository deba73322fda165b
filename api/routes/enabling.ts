import type { ProfileId } from '#core/ids.ts';
import { lockProfile, saveProfile } from '#storage/operator/profiles.ts';
import { auditChange } from '#api/audit.ts';
import { disableProfile, enableProfile } from '#api/contract/profiles.ts';
import type { Caller } from '#api/guard/caller.ts';
import type { Operator } from '#api/guard/session.ts';
import type { Routes } from '#api/handle.ts';
import { requireFoundProfile, requireProfile } from '#api/require.ts';
import { profileView } from '#api/views/views.ts';
import { announceProfile } from './profiles.ts';

export function mountEnabling({ context, handle }: Routes): void {
  const setEnabled = async (id: ProfileId, enabled: boolean, who: { operator: Operator; caller: Caller }) => {
    const saved = await context.database.transaction(async (transaction) => {
      const before = requireFoundProfile(await lockProfile(transaction, who.operator.user.id, id), id);
      if (before.enabled === enabled) return before;
      await saveProfile(transaction, id, { enabled });
      await auditChange(transaction, who, {
        action: enabled ? 'profile.enable' : 'profile.disable',
        subject: id,
        before: { enabled: before.enabled },
        after: { enabled },
      });
      return requireProfile(transaction, who.operator, id);
    });
    await announceProfile(context, id);
    return profileView(saved);
  };

  handle(enableProfile, ({ params, operator, caller }) => setEnabled(params.id, true, { operator, caller }));
  handle(disableProfile, ({ params, operator, caller }) => setEnabled(params.id, false, { operator, caller }));
}
