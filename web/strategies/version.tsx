import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answer } from '#api/contract/operation.ts';
import { readStrategyVersion } from '#api/contract/strategy-files.ts';
import { useRead } from '#web/data/read.ts';
import { Icon } from '#web/ui/icon.tsx';
import { whole } from '#web/ui/numbers.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { CheckButton } from './check-button.tsx';
import { changedLines, diffLines } from '#authoring/line-diff.ts';
import { Preview } from './preview.tsx';
import { State } from './strategies.tsx';
import { shortHash } from './version-state.ts';

const EVERY_MS = 3_000;

type Version = Answer<typeof readStrategyVersion>;

/** One version of a strategy file: its check, its source, and the lines that differ from another version. */
export function StrategyVersionPage(): ReactNode {
  const { hash } = useParams({ from: '/shell/strategies/$hash' });
  const { against } = useSearch({ from: '/shell/strategies/$hash' });
  const version = useRead(
    readStrategyVersion,
    { params: { hash } },
    { every: (data) => (data !== undefined && data.checkRequestedAt !== null ? EVERY_MS : false) },
  );
  return (
    <>
      <title>Strategy file · Tradewind</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/research">Research</Link>
        <Link to="/strategies">Strategy files</Link>
        <span>{shortHash(hash)}</span>
      </nav>
      <Read of={version} what="the version" title="Strategy file" rows={6}>
        {(data) => (
          <>
            <div className="head">
              <h1 className="verdict">{data.title}</h1>
              <p className="two">{data.summary}</p>
              <p className="two">
                {data.file}, version <code>{shortHash(data.hash)}</code>, first seen <When at={data.seenAt} />
                {data.present ? '' : '; the file has other content now'}
              </p>
            </div>
            <CheckResult version={data} />
            <Preview hash={data.hash} />
            {against === undefined ? null : <Changes version={data} against={against} />}
            <Section title="Source" note="read-only; edit the file on the host">
              <Source lines={data.source.split('\n').map((text, i) => ({ kind: 'same', line: i + 1, text }))} />
            </Section>
          </>
        )}
      </Read>
    </>
  );
}

function CheckResult({ version }: { version: Version }): ReactNode {
  const { check, checkRequestedAt } = version;
  return (
    <Section
      title="Check"
      note={
        check === null || checkRequestedAt !== null ? undefined : (
          <>
            {whole(check.candles)} candles, {whole(check.fills)} orders, <When at={check.at} />
          </>
        )
      }
    >
      <div className="actions">
        <span>
          <State version={version} />
        </span>
        <CheckButton version={version} />
      </div>
      {check?.refused === undefined ? null : <p className="p-2">{check.refused}</p>}
      {check === null || check.properties.length === 0 ? null : (
        <ul className="block">
          {check.properties.map(({ name, passed, sentence }) => (
            <li key={name}>
              <span className={passed ? undefined : 'care'}>
                <Icon name={passed ? 'ok' : 'x'} />
              </span>
              <div>
                <b>{name}</b> {passed ? 'passed' : 'failed'}
                {passed || sentence === '' ? null : <span className="note block">{sentence}</span>}
              </div>
            </li>
          ))}
          {check.remarks.map((remark) => (
            <li key={remark}>
              <span>
                <Icon name="q" />
              </span>
              <div>{remark}</div>
            </li>
          ))}
        </ul>
      )}
      <p className="note p-2">
        A passed check is required before a live account enables the strategy. It never says that the strategy earns
        money.
      </p>
    </Section>
  );
}

function Changes({ version, against }: { version: Version; against: string }): ReactNode {
  const other = useRead(readStrategyVersion, { params: { hash: against } });
  return (
    <Section title="Changed lines" note={`against version ${shortHash(against)}`}>
      <Read of={other} what="the other version" rows={4}>
        {({ source }) => <Source lines={changedLines(diffLines(source, version.source))} />}
      </Read>
    </Section>
  );
}

const MARKS = { same: ' ', added: '+', gone: '−' } as const;
const WORDS = { same: undefined, added: 'added', gone: 'removed' } as const;

function Source({ lines }: { lines: ReturnType<typeof diffLines> }): ReactNode {
  return (
    <div className="source">
      <table>
        <tbody>
          {lines.map(({ kind, line, text }) => (
            <tr key={`${kind} ${line}`} className={kind}>
              <td className="num">{line}</td>
              <td title={WORDS[kind]}>{MARKS[kind]}</td>
              <td>
                <code>{text}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
