import { readdirSync } from 'node:fs';
import { StartProblem } from './start-problem.ts';

const candleFile = /^[A-Z0-9]+-\d+[mhd](-[^.]+)?\.csv(\.gz)?$/;

/** Throws StartProblem unless the folder contains a candle file. The paper exchange validates the content. */
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
    `The replay folder ${folder} contains no candle file; its files need names such as BTCUSDT-1m.csv.gz.`,
  );
}
