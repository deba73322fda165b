import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { ROOT } from '#test/harness/source-files.ts';

interface PlantedBug {
  readonly file: string;
  /** Occurs once in the file. */
  readonly text: string;
  readonly becomes: string;
  /** The cell of the grid (schedule.ts) whose seeds reveal the bug, and the oracle's message. */
  readonly cell: string;
  readonly says: RegExp;
}

/** Bugs that lose or double money or ignore a halt: the oracle must detect each of them. */
export const PLANTED: Readonly<Record<string, PlantedBug>> = {
  'resend-on-timeout': {
    file: 'exchange/place.ts',
    text: `return outcomeOf(await sendSigned(link, call, gateOf(request)), (body) => {
      const placed`,
    becomes: `const again = () => sendSigned(link, call, gateOf(request));
    return outcomeOf(await again().catch(again), (body) => {
      const placed`,
    cell: 'applied, then 500 × entry',
    says: /was sent twice|stored \(first\) and exchange \(second\) differ/,
  },
  'fill-booked-twice': {
    file: 'storage/trading/fills.ts',
    text: 'if (!(await insertFill(transaction, folded))) {',
    becomes: 'if (!(await insertFill(transaction, folded)) && before === undefined) {',
    // Only a worker that queries the order again receives a known fill.
    cell: 'worker killed × entry',
    says: /differ|does not come to rest|wallet/,
  },
  'halt-checked-in-memory-only': {
    file: 'storage/trading/intents.ts',
    text: 'where $5::boolean or (freeze_exits and not $22::boolean)',
    becomes: 'where ($5::boolean or (freeze_exits and not $22::boolean)) and false',
    cell: 'slow × kill switch',
    says: /was committed under a kill switch/,
  },
  'action-forgets-its-order': {
    file: 'storage/trading/intents.ts',
    text: 'request.actionId ?? null,',
    becomes: 'null,',
    // A worker that resumes an action must find its orders.
    cell: 'worker killed × manual order',
    says: /two for one action/,
  },
  'manual-buy-under-a-halt': {
    file: 'core/account/halts.ts',
    text: "order.purpose === 'entry' || (order.purpose === 'manual' && order.side === 'buy');",
    becomes: "order.purpose === 'entry';",
    cell: 'slow × kill switch',
    says: /was committed under a kill switch/,
  },
  'absence-believed-at-once': {
    file: 'core/order/order-timing.ts',
    text: 'sendBeforeMs + timing.receiveWindowMs + timing.engineTimeoutMs + timing.clockMarginMs',
    becomes: 'sendBeforeMs - timing.sendWithinMs',
    cell: 'applied after the answer -1007 × entry',
    says: /never arrived|stored \(first\) and exchange \(second\) differ/,
  },
  'unknown-counts-as-rejected': {
    file: 'exchange/errors.ts',
    text: 'if (status === null || code === null) return false;',
    becomes: 'if (status === null || code === null) return false;\n  if (status === 504) return true;',
    cell: 'applied, then -1007 × entry',
    // The purchase is not held, so that it cannot be sold by hand either.
    says: /stored \(first\) and exchange \(second\) differ|The manual sale of BTCUSDT did not succeed/,
  },
  'intents-forgotten-at-start': {
    file: 'engine/runner/recover.ts',
    text: 'if (record.profileId !== coin.profile.id || record.symbol !== coin.symbol) continue;',
    becomes: `if (record.profileId !== coin.profile.id || record.symbol !== coin.symbol || record.state === 'intent') continue;`,
    cell: 'worker killed × entry',
    says: /does not come to rest/,
  },
  'restored-stop-not-adopted': {
    file: 'engine/runner/recover.ts',
    text: '  await adoptOpenOrders(coin);',
    becomes: '',
    cell: 'backup restored × stop create',
    says: /The manual sale of .* did not succeed|its stops are for/,
  },
  'first-stop-never-placed': {
    file: 'engine/tick/protect.ts',
    text: 'if (idle && !coin.view.sellable) return undefined;',
    becomes: 'if (idle) return undefined;',
    cell: 'slow × stop create',
    says: /its stops are for|without a stop and without a reason/,
  },
  'leg-counted-twice': {
    file: 'engine/state/coin.ts',
    text: "resting(coin, ({ purpose }) => purpose !== 'stop' && purpose !== 'target');",
    becomes: "resting(coin, ({ purpose }) => purpose !== 'stop');",
    // The target then counts as a sale of its own, next to its stop.
    cell: 'slow × list create',
    says: /cancelled and placed again as they were|its stops are for/,
  },
  'list-placed-over-a-sale': {
    file: 'engine/tick/execute.ts',
    text: 'if (!isGone) return NOT_ATTEMPTED;',
    becomes: '',
    cell: 'slower than the patience × list replace',
    says: /for more than was free/,
  },
  'stop-cancelled-then-placed': {
    file: 'engine/tick/execute.ts',
    text: 'const { cancelled, placed } = await trading.cancelReplace({ ...request, cancelClientOrderId, cancelId });',
    becomes: `const cancelled = await trading.cancel(coin.symbol, cancelClientOrderId, cancelId);
  const placed = cancelled.kind === 'accepted' ? await trading.place(request) : { kind: 'not-attempted' };`,
    cell: 'slow × exit in place of a stop',
    says: /cancelled before their replacements/,
  },
};

/** Changes the source of one file while Node loads it; call it before any import of that file. */
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
