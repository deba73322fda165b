/** One thing that a run shows. */
export interface Proof {
  readonly title: string;
  /** As a reader would type it. */
  readonly command: string;
  /** Arguments of Node. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The outcome in one sentence, from what the run printed; undefined when it printed none. */
  read(output: string): string | undefined;
}

/** How much is run. */
interface Effort {
  readonly days: number;
  readonly seeds: number;
  /** Random walks that each search sweeps over. */
  readonly walks: number;
  /** Test files that compute published examples. */
  readonly published: readonly string[];
}

/** The rows of the page. Schedules of faults start with the first seed, so that each run uses the same ones. */
export function proofs({ days, seeds, walks, published }: Effort): Proof[] {
  const examples: Proof = {
    title: 'Published examples of research statistics are computed to the last digit they print',
    command: `npm test -- ${published.join(' ')}`,
    args: ['--test', ...published],
    read: publishedOutcome,
  };
  return [
    {
      title: 'Both strategies and the fill model, written a second time from [their page](strategies.md), fill alike',
      command: 'npm test -- test/independent/',
      args: ['--test', 'test/independent/independent.test.ts'],
      read: (output) => /^independent: (.+)$/m.exec(output)?.[1],
    },
    {
      title: 'Live trading on the paper exchange and the backtest decide and fill alike, minute by minute',
      command: `npm run parity -- --days ${days}`,
      args: ['test/parity/run.ts', '--days', String(days)],
      read: parityOutcome,
    },
    ...(published.length === 0 ? [] : [examples]),
    {
      title: 'Few sweeps over random walks look promising, whatever the search',
      command: `TEST_RANDOM_WALKS=${walks} npm test -- backtest/sweep/random-walks`,
      args: ['--test', 'backtest/sweep/random-walks.test.ts'],
      env: { TEST_RANDOM_WALKS: String(walks) },
      read: walksOutcome,
    },
    {
      title: 'No order is lost, doubled or left without a stop under schedules of faults',
      command: `npm run faults -- --from 1 --seeds ${seeds}`,
      args: ['test/faults/run.ts', '--from', '1', '--seeds', String(seeds)],
      read: (output) =>
        output
          .match(/^\d+ runs in \d+ s, .*$/gm)
          ?.at(-1)
          ?.replace(/;.*$/, ''),
    },
  ];
}

/** The sum over all runs. */
function parityOutcome(output: string): string | undefined {
  const plays = [...output.matchAll(/: (\d+) decisions, (\d+) differ; (\d+) fills, (\d+) differ;/g)];
  if (plays.length === 0) return undefined;
  const sum = (at: number): number => plays.reduce((all, play) => all + Number(play[at]), 0);
  const market = /made-up market/.test(output) ? 'made-up' : 'recorded';
  return `${plays.length} runs over a ${market} market: ${sum(1)} decisions, ${sum(2)} differ; ${sum(3)} fills, ${sum(4)} differ`;
}

/** The test prints how many walks each search calls promising. */
function walksOutcome(output: string): string | undefined {
  const found = [...output.matchAll(/^ℹ (\w+): (\d+ of \d+ look promising)$/gm)];
  return found.length === 0 ? undefined : found.map(([, search, share]) => `${search} ${share}`).join(', ');
}

function publishedOutcome(output: string): string | undefined {
  const names = [...output.matchAll(/^✔ (the published .+) \(\d.*ms\)$/gm)].map(([, name]) => name);
  return names.length === 0 ? undefined : `equal: ${names.join('; ')}`;
}

export interface Outcome {
  readonly proof: Proof;
  readonly sentence: string;
  /** The day of the run, UTC. */
  readonly day: string;
}

/** The page. */
export const pageOf = (version: string, outcomes: readonly Outcome[]): string =>
  [
    '# Evidence',
    `What runs have shown of version ${version}. \`npm run evidence\` runs the commands again and writes this page.`,
    [
      '| what | command | day | outcome |',
      '|---|---|---|---|',
      ...outcomes.map(({ proof, sentence, day }) => `| ${proof.title} | \`${proof.command}\` | ${day} | ${sentence} |`),
    ].join('\n'),
    '',
  ]
    .join('\n\n')
    .trimEnd() + '\n';

/** Why the page may not go with a release of `version`; undefined when it may. */
export function staleness(page: string, version: string): string | undefined {
  const of = /of version (\S+)\. /.exec(page)?.[1];
  if (of === version) return undefined;
  return `docs/evidence.md is of version ${of ?? 'unknown'}, the package of ${version}: npm run evidence writes it again.`;
}
