import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { BACKUP_FORM } from '#api/contract/forms.ts';
import { downloadBackup, readBackupConfig, restoreBackup, saveBackupConfig } from '#api/contract/backup.ts';
import { addressOf, sendForm, upload } from '#web/data/call.ts';
import { keyOf, useRead, useRun } from '#web/data/read.ts';
import { ConfigForm, plainScope } from '#web/config/config-form.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

/** Download a backup, schedule automatic backups, and restore. */
export function BackupSettings(): ReactNode {
  const schedule = useRead(readBackupConfig, {});
  return (
    <Section title="Backup and restore" note="a backup holds secrets in plain text: keep it safe">
      <div className="actions">
        <a className="btn" href={addressOf(downloadBackup.path, undefined, undefined)} download>
          Download a backup now
        </a>
        <Restore />
      </div>
      <Read of={schedule} what="the backups" height={72}>
        {({ folder, nextDueAt, backups, ...values }) => (
          <>
            <ConfigForm
              scope={plainScope({
                schema: BACKUP_FORM,
                values,
                save: (changed) => sendForm(saveBackupConfig, {}, { ...values, ...changed }),
              })}
              action="Save schedule"
              used=""
            />
            <p className="note px-2">
              {folder === null ? 'No folder is set: start the service with BACKUP_DIR.' : `Folder: ${folder}.`}
              {nextDueAt === null ? null : (
                <>
                  {' '}
                  Next backup: <When at={nextDueAt} />.
                </>
              )}
            </p>
            <ul className="block">
              {backups.map(({ name, bytes, at }) => (
                <li key={name}>
                  <span />
                  <span>
                    <When at={at} /> <span className="note">{(bytes / 1e6).toFixed(1)} MB</span>
                    <span className="note block mono">{name}</span>
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Read>
    </Section>
  );
}

function Restore(): ReactNode {
  const client = useQueryClient();
  const [file, setFile] = useState<File | undefined>(undefined);
  const restore = useRun(
    // A backup holds no sessions: the sign-in page is shown next, with a notice.
    async (chosen: File) => client.setQueryData(keyOf(restoreBackup), await upload(restoreBackup, chosen)),
  );
  const close = (): void => {
    setFile(undefined);
    restore.reset();
  };
  return (
    <>
      <label className="btn">
        Restore a backup…
        <input
          type="file"
          className="vh"
          onChange={(event) => {
            setFile(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
      </label>
      <Dialog title={`Restore ${file?.name ?? ''}?`} open={file !== undefined} onClose={close}>
        <div className="two grid gap-2 py-2">
          <p>The file replaces all data of this installation. It is checked first.</p>
          <p>Afterwards you sign in again. Buying stays stopped until you allow it on the overview.</p>
        </div>
        <Failure what="Not restored." error={restore.error} />
        <div className="flex flex-wrap gap-3 pt-2">
          {file === undefined ? null : (
            <button type="button" className="btn go" disabled={restore.isPending} onClick={() => restore.mutate(file)}>
              Restore {file.name} and replace all data
            </button>
          )}
          <button type="button" className="btn" data-first onClick={close}>
            Cancel
          </button>
        </div>
      </Dialog>
    </>
  );
}
