import { readdirSync } from 'node:fs';
import { StartProblem } from './start-problem.ts';

const candleFile = /^[A-Z0-9]+-\d+[mhd](-[^.]+)?\.csv(\.gz)?$/;

/** Throws StartProblem unless the folder holds at least one candle file; the paper exchange reads what is inside them. */
export function requireReplayFolder(folder: string): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new StartProblem(`The replay folder ${folder} cannot be read (${cause}).`);
  }
  if (names.some((name) => candleFile.test(name))) return;
  throw new StartProblem(
    `The replay folder ${folder} holds no candle file; its files must be named like BTCUSDT-1m.csv.gz.`,
  );
}
