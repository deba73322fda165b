import { z } from 'zod';
import { type Certificate, CHECK_VERSION } from '#authoring/certificate.ts';
import type { StrategyFile } from '#strategies/strategy.ts';
import { startLimited } from './limited-process.ts';

const PROGRAM = new URL('./check-program.ts', import.meta.url);
const LIMIT_MS = 180_000;
const MOST_MEMORY_MB = 512;

const report = z.object({
  passed: z.boolean(),
  file: z.string(),
  refused: z.string().optional(),
  hash: z.string().optional(),
  name: z.string().optional(),
  title: z.string().optional(),
  properties: z.array(z.object({ name: z.string(), passed: z.boolean(), sentence: z.string() })).default([]),
  remarks: z.array(z.string()).default([]),
  seeds: z.array(z.int()).default([]),
  candles: z.int().default(0),
  fills: z.int().default(0),
});
export type Checked = z.output<typeof report>;

/** Checks a file in a process with limits for time and memory. Never rejects. */
export async function checkFile(file: StrategyFile): Promise<Checked> {
  const child = startLimited(PROGRAM, MOST_MEMORY_MB, ['backtest']);
  const { promise, resolve } = Promise.withResolvers<Checked>();
  const refuse = (refused: string): void => resolve(report.parse({ passed: false, file: file.name, refused }));
  const timer = setTimeout(() => refuse(`${file.name}: the check did not end within ${LIMIT_MS / 1000} s.`), LIMIT_MS);
  child.on('message', (answer: unknown) => {
    const parsed = report.safeParse(answer);
    if (parsed.success) resolve(parsed.data);
  });
  child.on('error', ({ message }) => refuse(`${file.name}: ${message}.`));
  const ended = `${file.name}: the check ended without a result. The file may use more than ${MOST_MEMORY_MB} MB of memory.`;
  child.on('exit', () => refuse(ended));
  child.send(file);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

export const certificateOf = ({ hash = '', seeds, candles, fills }: Checked): Certificate => ({
  ...{ hash, check: CHECK_VERSION, at: new Date().toISOString(), seeds, candles, fills },
});
