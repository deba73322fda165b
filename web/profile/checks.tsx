import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DiagnosisCheck } from '#api/contract/diagnosis.ts';
import { valueText, wordsOf } from '#web/ui/names.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Prose } from '#web/ui/when.tsx';

const MARKS = { ok: 'ok', warn: 'warn', fail: 'x', unknown: 'q' } as const;
const WORDS = { ok: 'in order', warn: 'warning', fail: 'blocking', unknown: 'unknown' } as const;

const RANK = { fail: 0, unknown: 1, warn: 2, ok: 3 } as const;

/** All checks of a diagnosis: blocking ones first, otherwise in the order in which they were made. */
export function Checks({ checks }: { checks: readonly DiagnosisCheck[] }): ReactNode {
  return <List checks={checks.toSorted((a, b) => RANK[a.status] - RANK[b.status])} />;
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
                    {wordsOf(name).toLowerCase()} <Prose text={valueText(name, value)} />
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

/** Link to the setting to change, with its present value. */
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
