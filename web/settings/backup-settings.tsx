import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { downloadBackup, readBackupConfig, restoreBackup, saveBackupConfig } from '#api/contract/backup.ts';
import { addressOf, call, upload } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import { restoredQuery } from '#web/data/queries.ts';
import { Switch } from '#web/ui/field.tsx';
import { TextForm } from '#web/ui/text-form.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

const KEY = ['backup'] as const;

/** Download a backup, schedule automatic backups, and restore. */
export function BackupSettings(): ReactNode {
  const client = useQueryClient();
  const { data, error } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call(readBackupConfig, {}, signal) });
  const [enabled, setEnabled] = useState<boolean | undefined>(undefined);
  const on = enabled ?? data?.enabled ?? false;
  return (
    <Section title="Backup and restore" note="a backup holds secrets in plain text: keep it safe">
      {error === null ? null : <Failure what="Could not load the backups." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={3} /> : null}
      <div className="actions">
        <a className="btn" href={addressOf(downloadBackup.path, undefined, undefined)} download>
          Download a backup now
        </a>
        <Restore />
      </div>
      {data === undefined ? null : (
        <>
          <TextForm
            first={{ intervalHours: String(data.intervalHours), keep: String(data.keep) }}
            fields={[
              { name: 'intervalHours', label: 'Every', unit: 'hours', input: { inputMode: 'numeric' } },
              { name: 'keep', label: 'Keep', unit: 'backups', input: { inputMode: 'numeric' } },
            ]}
            submit={async ({ intervalHours, keep }) => {
              const body = { enabled: on, intervalHours: Number(intervalHours), keep: Number(keep) };
              client.setQueryData(KEY, await call(saveBackupConfig, { body }));
            }}
            action="Save the schedule"
            failed="Not saved."
            done="Saved."
          >
            <div className="p-2">
              <Switch label="Automatic backups" on={on} onChange={setEnabled} />
              <span className="note block pt-1">
                {data.folder === null
                  ? 'No folder is set: start the service with BACKUP_DIR.'
                  : `Folder: ${data.folder}.`}
                {data.nextDueAt === null ? null : (
                  <>
                    {' '}
                    Next backup: <When at={data.nextDueAt} />.
                  </>
                )}
              </span>
            </div>
          </TextForm>
          <ul className="block">
            {data.backups.map(({ name, bytes, at }) => (
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
    </Section>
  );
}

function Restore(): ReactNode {
  const client = useQueryClient();
  const [file, setFile] = useState<File | undefined>(undefined);
  const restore = useMutation({
    mutationFn: (chosen: File) => upload(restoreBackup, chosen),
    onSuccess: (restored) => {
      // A backup holds no sessions: the sign-in page is shown next, with a notice.
      client.setQueryData(restoredQuery.queryKey, restored);
      return client.invalidateQueries({ queryKey: keys.session });
    },
  });
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
        {restore.isError ? <Failure what="Not restored." error={restore.error} /> : null}
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
