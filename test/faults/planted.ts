import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { ROOT } from '../harness/source-files.ts';

interface PlantedBug {
  readonly file: string;
  /** Stands once in the file. */
  readonly text: string;
  readonly becomes: string;
}

/** Bugs that lose or double money or ignore a halt; a proof that lets one of them pass proves nothing. */
export const PLANTED: Readonly<Record<string, PlantedBug>> = {
  'resend-on-timeout': {
    file: 'exchange/place.ts',
    text: `  try {
    return outcomeOf(await sendSigned(link, call, gate), (body) => {
      const placed`,
    becomes: `  try {
    const again = () => sendSigned(link, call, gate);
    return outcomeOf(await again().catch(again), (body) => {
      const placed`,
  },
  'fill-booked-twice': {
    file: 'storage/fills.ts',
    text: 'if (!(await insertFill(transaction, folded))) {',
    becomes: 'if (!(await insertFill(transaction, folded)) && before === undefined) {',
  },
  'halt-checked-in-memory-only': {
    file: 'storage/intents.ts',
    text: 'and ($5::boolean or freeze_exits)',
    becomes: 'and ($5::boolean or freeze_exits) and false',
  },
  'absence-believed-at-once': {
    file: 'core/order-timing.ts',
    text: 'sendBeforeMs + timing.receiveWindowMs + timing.engineTimeoutMs + timing.clockMarginMs',
    becomes: 'sendBeforeMs - timing.sendWithinMs',
  },
  'unknown-counts-as-rejected': {
    file: 'exchange/errors.ts',
    text: 'if (status === null || code === null) return false;',
    becomes: 'if (status === null || code === null) return false;\n  if (status === 504) return true;',
  },
  'intents-forgotten-at-start': {
    file: 'engine/recover.ts',
    text: 'if (record.profileId !== coin.profile.id || record.symbol !== coin.symbol) continue;',
    becomes: `if (record.profileId !== coin.profile.id || record.symbol !== coin.symbol || record.state === 'intent') continue;`,
  },
};

/** Changes the source of one file while it is loaded; to be called before anything that imports it. */
export function plant(name: string): void {
  const bug = PLANTED[name];
  if (bug === undefined) throw new Error(`There is no bug "${name}" to plant: ${Object.keys(PLANTED).join(', ')}.`);
  const url = pathToFileURL(join(ROOT, bug.file)).href;
  registerHooks({
    load(loaded, context, nextLoad) {
      const result = nextLoad(loaded, context);
      if (loaded !== url) return result;
      const source = String(result.source);
      if (source.split(bug.text).length !== 2) throw new Error(`${bug.file} does not hold the text of "${name}" once.`);
      return { ...result, source: source.replace(bug.text, () => bug.becomes) };
    },
  });
}
