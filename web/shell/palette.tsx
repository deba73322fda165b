import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { dashboardQuery } from '#web/data/queries.ts';
import { useDemo } from '#web/data/session.tsx';
import { matchesOf } from './palette-matches.ts';
import { placesOf, profilePagesOf, RESEARCH_PAGES } from '#web/ui/places.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { currentTheme, setTheme } from '#web/ui/theme-switch.tsx';

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  onStop: () => void;
}

interface Row {
  readonly words: string;
  readonly note: string;
  readonly run: () => void;
}

const SHOWN = 12;

/** Finds pages, profiles, coins and a few actions by a part of their name. */
export function Palette({ open, onClose, onStop }: PaletteProps): ReactNode {
  return (
    <Dialog title="Go to" open={open} onClose={onClose}>
      <Search onClose={onClose} onStop={onStop} />
    </Dialog>
  );
}

function useRows(onStop: () => void): Row[] {
  const navigate = useNavigate();
  const demo = useDemo();
  const { data } = useQuery(dashboardQuery);
  const go =
    (to: string): (() => void) =>
    () =>
      void navigate({ to });
  const places = placesOf(demo).map(({ to, words }) => ({ words, note: 'page', run: go(to) }));
  const coins = (data?.coins ?? []).map(({ symbol, profileId, profileName }) => ({
    words: symbol,
    note: `coin of ${profileName}`,
    run: go(`/profiles/${profileId}/coins/${symbol}`),
  }));
  const profiles = (data?.profiles ?? []).flatMap(({ id, name }) =>
    [...profilePagesOf(demo), ...RESEARCH_PAGES].map(({ to, words }) => ({
      words: `${name}: ${words.toLowerCase()}`,
      note: 'profile',
      run: go(to.replace('$id', id)),
    })),
  );
  const why = (data?.coins ?? []).map(({ symbol, profileId, profileName }) => ({
    words: `Why is ${symbol} not trading?`,
    note: `diagnosis, ${profileName}`,
    run: () => void navigate({ to: '/profiles/$id/diagnosis', params: { id: profileId }, search: { coin: symbol } }),
  }));
  const other = currentTheme() === 'dark' ? 'light' : 'dark';
  return [
    ...places,
    ...coins,
    ...profiles,
    ...(demo ? [] : why),
    { words: 'Stop buying', note: 'with a confirmation', run: onStop },
    { words: `Switch to the ${other} theme`, note: 'on this device', run: () => setTheme(other) },
  ];
}

function Search({ onClose, onStop }: Pick<PaletteProps, 'onClose' | 'onStop'>): ReactNode {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { isPending } = useQuery(dashboardQuery);
  const rows = matchesOf(useRows(onStop), text).slice(0, SHOWN);
  const here = Math.min(at, rows.length - 1);
  const choose = (row: Row | undefined): void => {
    if (row === undefined) return;
    onClose();
    row.run();
  };
  const press = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((here + step + rows.length) % Math.max(1, rows.length));
    if (event.key === 'Enter') choose(rows[here]);
    if (step !== 0 || event.key === 'Enter') event.preventDefault();
  };
  return (
    <>
      <span className="in my-2">
        <input
          className="text-left!"
          role="combobox"
          aria-label="Go to"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={rows.length === 0 ? undefined : `${id}-${here}`}
          autoComplete="off"
          autoFocus
          placeholder="a page, a profile or a coin"
          value={text}
          onKeyDown={press}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
      </span>
      <div id={id} role="listbox" aria-label="Found" className="palette">
        {rows.map((row, i) => (
          <button
            key={`${row.words} ${row.note}`}
            type="button"
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === here}
            onClick={() => choose(row)}
            onPointerMove={() => setAt(i)}
          >
            <Match words={row.words} part={text.trim()} /> <span className="note">{row.note}</span>
          </button>
        ))}
      </div>
      {rows.length > 0 ? null : <p className="p-2">{isPending ? 'Loading profiles and coins…' : 'No results.'}</p>}
    </>
  );
}

/** The label with the typed part in bold. */
function Match({ words, part }: { words: string; part: string }): ReactNode {
  const at = part === '' ? -1 : words.toLowerCase().indexOf(part.toLowerCase());
  if (at === -1) return words;
  return (
    <span>
      {words.slice(0, at)}
      <b>{words.slice(at, at + part.length)}</b>
      {words.slice(at + part.length)}
    </span>
  );
}
