import type { Page } from 'playwright-core';
import { isObject } from '#core/merge.ts';

/** Some work in the trace of Chromium; times in ms of the page's main thread. */
export interface Traced {
  readonly firstPaintMs: number | undefined;
  readonly longestTaskMs: number;
  readonly scriptMs: number;
}

const SCRIPTS: readonly unknown[] = ['EvaluateScript', 'FunctionCall', 'v8.compile'];

const ms = (micros: unknown): number => (typeof micros === 'number' ? micros / 1000 : 0);

/** Does the work under Chromium's tracing. First paint counts from the last navigation. */
export async function traced(page: Page, work: () => Promise<void>): Promise<Traced> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser that could trace.');
  const categories = ['devtools.timeline', 'loading', 'toplevel', 'blink.user_timing', 'v8'];
  await browser.startTracing(page, { categories });
  await work();
  const parsed: unknown = JSON.parse((await browser.stopTracing()).toString('utf8'));
  const events: readonly unknown[] =
    isObject(parsed) && Array.isArray(parsed['traceEvents']) ? parsed['traceEvents'] : [];
  const told = events.filter(isObject);
  const painted = told.findLast(({ name }) => name === 'firstContentfulPaint');
  const begun = told.findLast(
    ({ name, pid, ts }) =>
      name === 'navigationStart' && pid === painted?.['pid'] && Number(ts) < Number(painted?.['ts']),
  );
  // The thread that painted is the page's main thread.
  const main = told.filter(({ pid, tid }) => pid === painted?.['pid'] && tid === painted?.['tid']);
  const tasks = main.filter(
    ({ name, ph }) => name === 'ThreadControllerImpl::RunTask' || (name === 'RunTask' && ph === 'X'),
  );
  const scripts = main.filter(({ name, ph }) => SCRIPTS.includes(name) && ph === 'X');
  return {
    firstPaintMs: painted === undefined || begun === undefined ? undefined : ms(painted['ts']) - ms(begun['ts']),
    longestTaskMs: Math.max(0, ...tasks.map(({ dur }) => ms(dur))),
    scriptMs: scripts.reduce((sum, { dur }) => sum + ms(dur), 0),
  };
}
