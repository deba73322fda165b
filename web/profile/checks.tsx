import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DiagnosisCheck } from '#api/contract/diagnosis.ts';
import { wordsOf } from '#web/ui/names.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Prose } from '#web/ui/when.tsx';

const MARKS = { ok: 'ok', warn: 'warn', fail: 'x', unknown: 'q' } as const;
const WORDS = { ok: 'in order', warn: 'to know', fail: 'in the way', unknown: 'not known' } as const;

/** The checks of a diagnosis in their order: those that say something first in full, those in order behind a fold. */
export function Checks({ checks }: { checks: readonly DiagnosisCheck[] }): ReactNode {
  const telling = checks.filter(({ status, setting }) => status !== 'ok' || setting !== null);
  const fine = checks.filter((one) => !telling.includes(one));
  return (
    <>
      <List checks={telling} />
      {fine.length === 0 ? null : (
        <details className="px-2 pb-2">
          <summary>
            {fine.length} in order: {fine.map(({ label }) => label).join(', ')}
          </summary>
          <List checks={fine} />
        </details>
      )}
    </>
  );
}

function List({ checks }: { checks: readonly DiagnosisCheck[] }): ReactNode {
  return (
    <ul className="block">
      {checks.map(({ id, label, status, line, evidence, setting }) => (
        <li key={id}>
          <span className={status === 'ok' ? '' : status === 'fail' ? 'loss' : 'care'}>
            <Icon name={MARKS[status]} />
            <span className="vh">{WORDS[status]}</span>
          </span>
          <div>
            <b>{label}</b> <Prose text={line} />
            {setting === null ? null : (
              <span className="block">
                <Change {...setting} />
              </span>
            )}
            {evidence.length === 0 ? null : (
              <span className="note block">
                {evidence.map(({ name, value }) => (
                  <span key={name} className="evidence">
                    {wordsOf(name).toLowerCase()} <Prose text={value} />
                  </span>
                ))}
              </span>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The way to what is to be changed, and what it is now. */
function Change({ words, place, path, value }: NonNullable<DiagnosisCheck['setting']>): ReactNode {
  const { pathname, searchParams } = new URL(place, 'http://here');
  const field = path !== null && pathname.endsWith('/config') ? { field: path } : {};
  return (
    <>
      <Link to={pathname} search={{ ...Object.fromEntries(searchParams), ...field }}>
        {words}
      </Link>
      {value === null || value.startsWith('[') || value.startsWith('{') ? null : (
        <span className="note"> now {value === 'true' ? 'on' : value === 'false' ? 'off' : value}</span>
      )}
    </>
  );
}
