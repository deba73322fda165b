import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempDisposableSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Series } from '#backtest/columns.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { report } from './report.ts';

const ROUNDS = 3;
const MARKET = ['--slippage-bps', '0', '--spread-bps', '0', '--volume-percent', '0', '--balance', '10000'];
const usage = z.object({ maxRSS: z.number(), userCPUTime: z.number(), systemCPUTime: z.number() });
const result = z.object({ fills: z.array(z.unknown()) });

/** Each process of the command writes at its end how much it has used. */
const PROBE = `import { appendFileSync } from 'node:fs';
process.on('exit', () => appendFileSync(process.env.BENCH_USAGE, JSON.stringify(process.resourceUsage()) + '\\n'));`;

/** Memory and processor time of `tradewind backtest --json`, as an operator starts it, with its output in a file. */
export function measureCommand(series: Series, config: unknown, fills: number): void {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'bench-'));
  const at = (name: string): string => join(folder.path, name);
  new CandleStore(at('candles')).add('BTCUSDT', series.interval, series.columns);
  writeFileSync(at('config.json'), JSON.stringify(config));
  writeFileSync(at('probe.mjs'), PROBE);
  const what = [
    '--candles',
    at('candles'),
    '--symbol',
    'BTCUSDT',
    '--strategy',
    'momentum',
    '--config',
    at('config.json'),
  ];
  const [megabytes, seconds]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const output = openSync(at('output.json'), 'w');
    const probe = { NODE_OPTIONS: `--import=${at('probe.mjs')}`, BENCH_USAGE: at(`usage-${round}`) };
    const command = [join(ROOT, 'cli', 'tradewind.js'), 'backtest', ...what, ...MARKET, '--json'];
    const { status } = spawnSync(process.execPath, command, {
      ...{ env: { ...process.env, ...probe }, stdio: ['ignore', output, 'inherit'] },
    });
    closeSync(output);
    assert.equal(status, 0, 'the command ends well');
    const lines = readFileSync(at(`usage-${round}`), 'utf8')
      .trimEnd()
      .split('\n');
    const used = lines.map((line) => usage.parse(JSON.parse(line)));
    megabytes.push(Math.max(...used.map(({ maxRSS }) => maxRSS)) / 1024);
    seconds.push(used.reduce((sum, each) => sum + each.userCPUTime + each.systemCPUTime, 0) / 1e6);
  }
  assert.equal(result.parse(JSON.parse(readFileSync(at('output.json'), 'utf8'))).fills.length, fills, 'trades alike');
  const size = (statSync(at('output.json')).size / 1e6).toFixed(0);
  const name = `\`tradewind backtest --json\` of that run, ${size} MB of JSON`;
  console.log(
    `${name}: ${Math.max(...megabytes).toFixed(0)} MB, ${Math.max(...seconds).toFixed(1)} s of processor time`,
  );
  report({ id: 'backtest.json-memory', what: `${name}: memory at its peak`, unit: 'MB', values: megabytes });
  report({ id: 'backtest.json-cpu', what: `${name}: processor time`, unit: 's', values: seconds });
}
