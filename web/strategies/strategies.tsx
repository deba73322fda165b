import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answer } from '#api/contract/operation.ts';
import { listStrategyFiles } from '#api/contract/strategy-files.ts';
import { useDemo } from '#web/data/session.tsx';
import { useRead } from '#web/data/read.ts';
import { Icon } from '#web/ui/icon.tsx';
import { count } from '#web/ui/numbers.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { CheckButton } from './check-button.tsx';
import { type FileVersion, shortHash, stateOf } from './version-state.ts';

const EVERY_MS = 5_000;

type Files = Answer<typeof listStrategyFiles>;

export function StrategiesPage(): ReactNode {
  const all = useRead(listStrategyFiles, {}, { every: EVERY_MS });
  return (
    <>
      <title>Strategy files · Tradewind</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/research">Research</Link>
        <span>Strategy files</span>
      </nav>
      <div className="head">
        <h1 className="verdict">{all.data === undefined ? 'Strategy files' : headingOf(all.data)}</h1>
        <p className="two">A strategy of your own is one file in the strategies folder. Each content is a version.</p>
      </div>
      <Section title="Files" note="read from the strategies folder">
        <Read of={all} what="the strategy files" rows={3}>
          {(data) => (data.files.length === 0 ? <NoFiles /> : <Files {...data} />)}
        </Read>
      </Section>
      {all.data === undefined ? null : <Earlier versions={all.data.versions.filter(({ present }) => !present)} />}
    </>
  );
}

function headingOf({ files, versions }: Files): string {
  if (files.length === 0) return 'There are no strategy files.';
  const certified = new Set(versions.filter(({ certifiedAt }) => certifiedAt !== null).map(({ hash }) => hash));
  const checked = files.filter(({ hash, problem }) => problem === null && certified.has(hash)).length;
  return `${checked} of ${count(files.length, 'strategy file')} passed the check.`;
}

function NoFiles(): ReactNode {
  return (
    <p className="p-2">
      Create one on the host of the service: <code>npx tradewind strategy new my-rsi --from rsi-reversion</code>
    </p>
  );
}

function Files({ files, versions }: Files): ReactNode {
  return (
    <table className="cards">
      <thead>
        <tr>
          <th>File</th>
          <th>Version</th>
          <th>State</th>
          <th>Used by</th>
          <th>Check</th>
        </tr>
      </thead>
      <tbody>
        {files.map(({ file, hash, problem, changedAt }) => {
          const version = versions.find((each) => each.hash === hash);
          const others = versions.filter(({ name, hash: each }) => name === version?.name && each !== hash);
          return (
            <tr key={file}>
              <td>
                <b>{version?.title ?? file}</b>
                <span className="note block">
                  {file}, changed <When at={changedAt} />
                </span>
              </td>
              <td data-l="Version">
                {version === undefined ? <code>{shortHash(hash)}</code> : <VersionLink version={version} />}
              </td>
              <td data-l="State">
                {version === undefined || problem !== null ? <Broken problem={problem} /> : <State version={version} />}
              </td>
              <td data-l="Used by">
                <Users version={version} others={others} />
              </td>
              <td>{version === undefined || problem !== null ? null : <CheckButton version={version} small />}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Broken({ problem }: { problem: string | null }): ReactNode {
  return (
    <>
      <span className="care">
        <Icon name="warn" />
      </span>{' '}
      Cannot be used
      <span className="note block">{problem ?? 'The file is being read.'}</span>
    </>
  );
}

/** State of a version as a mark and words. */
export function State({ version }: { version: FileVersion }): ReactNode {
  const { icon, words, care } = stateOf(version);
  return (
    <>
      <span className={care ? 'care' : undefined}>
        <Icon name={icon} />
      </span>{' '}
      {words}
      {version.quarantine === null ? null : <span className="note block">{version.quarantine}</span>}
    </>
  );
}

function VersionLink({ version: { hash } }: { version: FileVersion }): ReactNode {
  const demo = useDemo();
  // A live demo does not show the source.
  if (demo) return <code>{shortHash(hash)}</code>;
  return (
    <Link to="/strategies/$hash" params={{ hash }} search={{}}>
      <code>{shortHash(hash)}</code>
    </Link>
  );
}

/** The profiles of a version, and those that still use an earlier one. */
function Users({ version, others }: { version: FileVersion | undefined; others: readonly FileVersion[] }): ReactNode {
  const now = version?.usedBy.map((profile) => ({ ...profile, earlier: false })) ?? [];
  const before = others.flatMap(({ usedBy }) => usedBy.map((profile) => ({ ...profile, earlier: true })));
  const all = [...now, ...before];
  if (all.length === 0) return 'no profile';
  return all.map(({ id, name, enabled, earlier }) => (
    <span key={id} className="block">
      <Link to="/profiles/$id" params={{ id }}>
        {name}
      </Link>
      <span className="note">
        {enabled ? '' : ' paused'}
        {earlier ? ' at an earlier version' : ''}
      </span>
    </span>
  ));
}

function Earlier({ versions }: { versions: readonly FileVersion[] }): ReactNode {
  if (versions.length === 0) return null;
  return (
    <Section title="Earlier versions" note="kept for profiles, orders and results that name them">
      <table className="cards">
        <thead>
          <tr>
            <th>Strategy</th>
            <th>Version</th>
            <th>State</th>
            <th>Used by</th>
            <th>First seen</th>
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => (
            <tr key={version.hash}>
              <td>
                <b>{version.title}</b>
                <span className="note block">{version.file}</span>
              </td>
              <td data-l="Version">
                <VersionLink version={version} />
              </td>
              <td data-l="State">
                <State version={version} />
              </td>
              <td data-l="Used by">
                <Users version={version} others={[]} />
              </td>
              <td className="rt" data-l="First seen">
                <When at={version.seenAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
