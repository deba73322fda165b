import { parseArgs } from 'node:util';
import { provideDatabase } from '#test/harness/servers.ts';
import { compare, playKernel, reportOf } from './compare.ts';
import { playLive } from './live.ts';
import { ownPlays } from './own-plays.ts';
import { recordedPlays, syntheticPlays } from './plays.ts';

const USAGE = `npm run parity -- [--days N] [--only TEXT]
  --days N     so many days of the recorded month (default 30)
  --only TEXT  only plays with a word that begins so: momentum, ADAUSDT, own (strategy files)`;

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});

process.exitCode = values.help ? help() : await main().catch(failed);

/** Prints the first failure first: an error of the clean-up after it would hide it. */
function failed(error: unknown): number {
  if (!(error instanceof SuppressedError)) console.error(error);
  else {
    failed(error.suppressed);
    console.error('Then, while tidying up:');
    failed(error.error);
  }
  return 1;
}

function help(): number {
  console.log(USAGE);
  return 0;
}

/** Plays every minute twice, through the engine and through the backtest; 1 when any decision or fill differs. */
async function main(): Promise<number> {
  const days = Number(values.days);
  if (!Number.isInteger(days) || days < 1 || days > 30) {
    console.error(`--days is "${values.days}", but must be a whole number from 1 to 30.`);
    return 1;
  }
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new Error('Stopped.')));
  await using stack = new AsyncDisposableStack();
  process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, interrupted.signal);
  const recorded = recordedPlays(days);
  if (recorded === undefined) console.log('The recorded candles are not here: a made-up market is played.');
  const builtIn = recorded ?? syntheticPlays(days);
  const plays = [...builtIn, ...ownPlays(builtIn)].filter(({ name }) => ` ${name}`.includes(` ${values.only}`));
  if (plays.length === 0) {
    console.error(`--only is "${values.only}", but no play has a word that begins so.`);
    return 1;
  }
  let differing = 0;
  for (const play of plays) {
    if (interrupted.signal.aborted) return 1;
    const startedMs = performance.now();
    const live = await playLive(play);
    const comparison = compare(play.name, live, playKernel(play, live.rules));
    differing += comparison.decisions.length + comparison.fills.length;
    console.log(`${reportOf(comparison)} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
  }
  return differing === 0 ? 0 : 1;
}
