import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { Coin, Profile } from '#web/data/queries.ts';
import type { Config, Replay } from '#web/preview/summary.ts';
import type { ReplayThread } from '#web/preview/thread.ts';
import { type Axis, axesOf, variant } from './sweep-axes.ts';
import { bestOf, Heat } from './heat.tsx';
import { OpenInSettings } from './open-in-settings.tsx';

interface SweepProps {
  thread: ReplayThread;
  profile: Profile;
  coin: Coin;
  schema: Config;
  config: Config;
}

type Cells = readonly (readonly (Replay | undefined)[])[];

/** A heat map of two varied settings over the past. */
export function SweepMap({ thread, profile, coin, schema, config }: SweepProps): ReactNode {
  const axes = useMemo(() => axesOf(schema, config), [schema, config]);
  const [paths, setPaths] = useState<readonly [string?, string?]>([]);
  // The last two basic distances decide when it sells; they are the first choice.
  const distances = axes.filter(({ advanced, values }) => !advanced && typeof values[0] === 'string');
  const across = axes.find(({ path }) => path === paths[0]) ?? distances.at(-2) ?? axes[0];
  const down =
    axes.find(({ path }) => path === paths[1]) ?? [...axes, ...distances].findLast((axis) => axis !== across);
  const { cells, done, running, run, stop } = useSweep(thread, profile.strategyName);
  if (across === undefined || down === undefined) return <p className="p-2">Fewer than two settings can be varied.</p>;
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
              {done} of {total} run
            </span>
          </>
        ) : (
          <button type="button" className="btn" onClick={() => run(config, across, down)}>
            Run {total} settings
          </button>
        )}
      </div>
      {cells === undefined ? null : <Found cells={cells} across={across} down={down} profile={profile} coin={coin} />}
    </>
  );
}

/** Runs the cells in sequence; a newer sweep or stop ends the previous one. */
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
        setCells(made.map((cells) => [...cells]));
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
  const tries = returns.flat().filter((value) => typeof value === 'number').length;
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
      <OpenInSettings
        profile={profile}
        coin={coin}
        changes={[
          { path: across.path, value: across.values[at.x] },
          { path: down.path, value: down.values[at.y] },
        ]}
      />
      <span className="note">
        With {tries} runs some are good by luck. Good neighbours are a better sign than one outstanding cell.
      </span>
    </div>
  );
}
