import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { listOrphanOrders } from '#api/contract/orphans.ts';
import { listDeadLetters } from '#api/contract/jobs.ts';
import { readDashboard } from '#api/contract/records.ts';
import type { Dashboard } from '#web/data/answers.ts';
import { useDemo } from '#web/data/session.tsx';
import { useRead, useReads } from '#web/data/read.ts';
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

type Go = (to: string, hash?: string, search?: Record<string, string>) => () => void;
type Coin = Dashboard['coins'][number];

const SHOWN = 12;
const REVIEW_PAGES = [
  { to: '/notifications', words: 'Notifications' },
  { to: '/approvals', words: 'Approvals' },
  { to: '/tokens', words: 'API tokens' },
  { to: '/orphans', words: 'Orphan orders' },
  { to: '/dead-letters', words: 'Failed jobs' },
  { to: '/changes', words: 'Audit log' },
] as const;
/** Pages without content in a live demo. */
const NOT_IN_DEMO: readonly string[] = ['/notifications', '/approvals', '/tokens'];
/** Actions of a coin; its page opens the form that the hash names. */
const COIN_ACTIONS = [
  { hash: 'buy', words: 'Buy' },
  { hash: 'sell', words: 'Sell' },
  { hash: 'pause', words: 'Pause buying of' },
] as const;

/** Finds pages, profiles, coins, orphan orders, failed jobs and actions by a part of their name. */
export function Palette({ open, onClose, onStop }: PaletteProps): ReactNode {
  return (
    <Dialog title="Go to" open={open} onClose={onClose}>
      <Search onClose={onClose} onStop={onStop} />
    </Dialog>
  );
}

const dashboardRows = (data: Dashboard | undefined, demo: boolean, go: Go): Row[] => {
  const coins = data?.coins ?? [];
  const profiles = data?.profiles ?? [];
  const ofCoin = ({ profileId, symbol }: Coin): string => `/profiles/${profileId}/coins/${symbol}`;
  return [
    ...coins.map((coin) => ({ words: coin.symbol, note: `coin of ${coin.profileName}`, run: go(ofCoin(coin)) })),
    ...profiles.flatMap(({ id, name, takesSignals }) =>
      [...profilePagesOf({ demo, takesSignals }), ...RESEARCH_PAGES].map(({ to, words }) => ({
        words: `${name}: ${words.toLowerCase()}`,
        note: 'profile',
        run: go(to.replace('$id', id)),
      })),
    ),
    ...coins.flatMap((coin) =>
      COIN_ACTIONS.map(({ hash, words }) => ({
        words: `${words} ${coin.baseAsset ?? coin.symbol}`,
        note: `action, ${coin.profileName}`,
        run: go(ofCoin(coin), hash),
      })),
    ),
    ...profiles.map(({ id, name }) => ({
      words: 'New backtest',
      note: `action, ${name}`,
      run: go(`/profiles/${id}/backtests`),
    })),
    ...(demo
      ? []
      : coins.map(({ symbol, profileId, profileName }) => ({
          words: `Why is ${symbol} not trading?`,
          note: `diagnosis, ${profileName}`,
          run: go(`/profiles/${profileId}/diagnosis`, undefined, { coin: symbol }),
        }))),
  ];
};

/** Orphan orders of all accounts and failed jobs: fetched while the palette is open. */
function useReviewRows(data: Dashboard | undefined, go: Go): Row[] {
  const orphans = useReads(
    listOrphanOrders,
    (data?.accounts ?? []).map(({ id }) => ({ params: { id } })),
  );
  const { data: jobs } = useRead(listDeadLetters, {});
  const open = (orphans.data ?? []).flatMap((answer) => answer.orphans).filter(({ state }) => state === 'open');
  return [
    ...open.map(({ side, quantity, symbol, orderId }) => ({
      words: `Orphan order: ${side} ${quantity} ${symbol}`,
      note: `order ${orderId}`,
      run: go('/orphans'),
    })),
    ...(jobs?.deadLetters ?? []).map(({ job, errorMessage }) => ({
      words: `Failed job: ${job}`,
      note: errorMessage ?? 'no message',
      run: go('/dead-letters'),
    })),
  ];
}

function useRows(onStop: () => void): Row[] {
  const navigate = useNavigate();
  const demo = useDemo();
  const { data } = useRead(readDashboard, {});
  const go: Go = (to, hash, search) => () =>
    void navigate({ to, ...(hash === undefined ? {} : { hash }), ...(search === undefined ? {} : { search }) });
  const review = useReviewRows(data, go);
  const other = currentTheme() === 'dark' ? 'light' : 'dark';
  return [
    ...placesOf(demo).map(({ to, words }) => ({ words, note: 'page', run: go(to) })),
    ...REVIEW_PAGES.filter(({ to }) => !demo || !NOT_IN_DEMO.includes(to)).map(({ to, words }) => ({
      words,
      note: 'page',
      run: go(to),
    })),
    ...review,
    ...dashboardRows(data, demo, go),
    { words: 'Stop buying', note: 'with a confirmation', run: onStop },
    { words: `Switch to the ${other} theme`, note: 'on this device', run: () => setTheme(other) },
  ];
}

function Search({ onClose, onStop }: Pick<PaletteProps, 'onClose' | 'onStop'>): ReactNode {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { isPending } = useRead(readDashboard, {});
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
          className="left"
          role="combobox"
          aria-label="Go to"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={rows.length === 0 ? undefined : `${id}-${here}`}
          autoComplete="off"
          autoFocus
          placeholder="a page, a profile, a coin or an action"
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
