import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { Coin, Profile } from '#web/data/queries.ts';
import type { Config, Replay } from '#web/preview/summary.ts';
import type { ReplayThread } from '#web/preview/thread.ts';
import { type Axis, axesOf, variant } from './sweep-words.ts';
import { bestOf, Heat } from './heat.tsx';
import { PutInForm } from './put-in-form.tsx';

interface SweepProps {
  thread: ReplayThread;
  profile: Profile;
  coin: Coin;
  schema: Config;
  config: Config;
}

type Cells = readonly (readonly (Replay | undefined)[])[];

/** The past with two settings varied: where good results lie together, and where one stands alone. */
export function SweepMap({ thread, profile, coin, schema, config }: SweepProps): ReactNode {
  const axes = useMemo(() => axesOf(schema, config), [schema, config]);
  const [paths, setPaths] = useState<readonly [string?, string?]>([]);
  // The last two plain distances decide when it sells; they are offered first.
  const distances = axes.filter(({ advanced, values }) => !advanced && typeof values[0] === 'string');
  const across = axes.find(({ path }) => path === paths[0]) ?? distances.at(-2) ?? axes[0];
  const down =
    axes.find(({ path }) => path === paths[1]) ?? [...axes, ...distances].findLast((axis) => axis !== across);
  const { cells, done, running, run, stop } = useSweep(thread, profile.strategyName);
  if (across === undefined || down === undefined) return <p className="p-2">These settings have no two to vary.</p>;
  const total = across.values.length * down.values.length;
  const pick = (which: 0 | 1, path: string): void => {
    stop();
    setPaths(which === 0 ? [path, down.path] : [across.path, path]);
  };
  return (
    <>
      <div className="filters">
        <Pick label="Across" axes={axes} value={across.path} onChange={(path) => pick(0, path)} />
        <Pick label="Down" axes={axes} value={down.path} onChange={(path) => pick(1, path)} />
        {running ? (
          <>
            <button type="button" className="btn" onClick={stop}>
              Stop
            </button>
            <span className="note" role="status">
              {done} of {total} tried
            </span>
          </>
        ) : (
          <button type="button" className="btn" onClick={() => run(config, across, down)}>
            Try {total} settings
          </button>
        )}
      </div>
      {cells === undefined ? null : <Found cells={cells} across={across} down={down} profile={profile} coin={coin} />}
    </>
  );
}

/** Tries one cell after the other; a newer sweep, or stop, ends the one before. */
function useSweep(thread: ReplayThread, strategy: string) {
  const [cells, setCells] = useState<Cells | undefined>(undefined);
  const [running, setRunning] = useState(false);
  const turn = useRef(0);
  const done = cells?.flat().filter((cell) => cell !== undefined).length ?? 0;
  const stop = (): void => {
    turn.current += 1;
    setRunning(false);
  };
  const sweep = async (config: Config, across: Axis, down: Axis): Promise<void> => {
    const mine = ++turn.current;
    const made: (Replay | undefined)[][] = down.values.map(() => across.values.map(() => undefined));
    setRunning(true);
    for (const [y, row] of made.entries()) {
      for (const x of row.keys()) {
        const tried = variant(config, [across, x], [down, y]);
        const replay = await thread.attempt(strategy, { ...(typeof tried === 'object' ? tried : {}) });
        if (turn.current !== mine) return;
        row[x] = replay;
        setCells(made.map((one) => [...one]));
      }
    }
    setRunning(false);
  };
  const run = (config: Config, across: Axis, down: Axis): void => void sweep(config, across, down);
  return { cells, done, running, run, stop };
}

interface PickProps {
  label: string;
  axes: readonly Axis[];
  value: string;
  onChange: (path: string) => void;
}

function Pick({ label, axes, value, onChange }: PickProps): ReactNode {
  return (
    <label className="flex items-center gap-2">
      <span className="note">{label}</span>
      <span className="in">
        <select value={value} onChange={(event) => onChange(event.target.value)}>
          {axes.map((axis) => (
            <option key={axis.path} value={axis.path}>
              {axis.label}
            </option>
          ))}
        </select>
      </span>
    </label>
  );
}

interface FoundProps {
  cells: Cells;
  across: Axis;
  down: Axis;
  profile: Profile;
  coin: Coin;
}

const returnOf = (cell: Replay | undefined): number | null | undefined =>
  cell === undefined ? undefined : cell.kind === 'summary' ? cell.summary.totalReturn : null;

function Found({ cells, across, down, profile, coin }: FoundProps): ReactNode {
  const returns = cells.map((row) => row.map(returnOf));
  const at = bestOf(returns);
  const tries = returns.flat().filter((one) => typeof one === 'number').length;
  return (
    <>
      <Heat across={across} down={down} cells={returns} />
      {at === undefined ? null : <CopyBest {...{ across, down, profile, coin, at }} tries={tries} />}
    </>
  );
}

interface CopyProps extends Omit<FoundProps, 'cells'> {
  at: { readonly x: number; readonly y: number };
  tries: number;
}

function CopyBest({ across, down, profile, coin, at, tries }: CopyProps): ReactNode {
  return (
    <div className="actions">
      <PutInForm
        profile={profile}
        coin={coin}
        words="Put the best into the form"
        changes={[
          { path: across.path, value: across.values[at.x] },
          { path: down.path, value: down.values[at.y] },
        ]}
      />
      <span className="note">
        The best of many tries looks better than it is: with {tries} tries some are good by luck. Neighbours that are
        good too are a better sign than one cell that stands out.
      </span>
    </div>
  );
}
