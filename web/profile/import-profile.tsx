import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { readJson } from '#core/json.ts';
import { isObject } from '#core/merge.ts';
import type { Call } from '#api/contract/operation.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { importProfile } from '#api/contract/profile-configs.ts';
import { call } from '#web/data/call.ts';
import { useRead, useRun } from '#web/data/read.ts';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';

type Saved = Call<typeof importProfile>['body']['profile'];
/** The service validates the content; here only the kind of file is checked. */
const isSaved = (value: unknown): value is Saved => isObject(value) && value['format'] === 'tradewind-profile';

async function profileIn(file: File): Promise<Saved> {
  const value = readJson(await file.text());
  if (isSaved(value)) return value;
  throw new Error(`${file.name} is not a profile exported by Tradewind.`);
}

/** Imports a profile from an exported file, completely or not at all. */
export function ImportProfile(): ReactNode {
  const id = useId();
  const go = useNavigate();
  const { data } = useRead(listAccounts, {});
  const [chosen, setChosen] = useState('');
  const account = data?.accounts.find(({ id: accountId }) => accountId === chosen) ?? data?.accounts[0];
  const read = useRun(async (file: File) => {
    if (account === undefined) throw new Error('Add an account first.');
    const made = await call(importProfile, { body: { accountId: account.id, profile: await profileIn(file) } });
    await go({ to: '/profiles/$id', params: { id: made.profile.id } });
  });
  return (
    <Section title="Import a profile" note="from a file exported under Manage; starts paused">
      <Failure what="Not imported." error={read.error} />
      <div className="actions">
        {(data?.accounts.length ?? 0) < 2 ? null : (
          <span className="in">
            <select aria-label="Account" value={account?.id} onChange={(event) => setChosen(event.target.value)}>
              {data?.accounts.map((option) => (
                <option key={option.id} value={option.id}>
                  {option.name}
                </option>
              ))}
            </select>
          </span>
        )}
        <label htmlFor={id} className="btn">
          Choose a file…
        </label>
        <input
          id={id}
          className="vh"
          type="file"
          accept="application/json,.json"
          disabled={read.isPending}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) read.mutate(file);
            target.value = '';
          }}
        />
      </div>
    </Section>
  );
}
