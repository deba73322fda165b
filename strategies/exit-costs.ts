import type { Finding } from './strategy.ts';

/** Above this share of the profit of an exit the fees are worth a warning. */
const MUCH = 0.5;
/** A fixed exit leaves two thirds of its profit. */
const WANTED = 3;
const STEP = 1000;

interface ExitCosts {
  /** The setting that decides where the exit is. */
  readonly path: string;
  /** The price of the exit as a multiple of the average entry price. */
  readonly exit: number;
  /** The value of the setting as a multiple of the average entry price; the exit moves in proportion to it. */
  readonly setting: number;
  /** The multiple that pays the fees of buy and sale (breakEvenOf). */
  readonly breakEven: number;
}

/** The value of the setting at which fees take a third of the exit, rounded up to a tenth of a percent. */
export function exitFix({ path, exit, setting, breakEven }: ExitCosts): NonNullable<Finding['fix']> {
  const wanted = ((1 + WANTED * (breakEven - 1)) * setting) / exit;
  const value = (Math.ceil(wanted * STEP - 1e-6) / STEP).toFixed(3);
  return { words: `Set it to ${Number(((Number(value) - 1) * 100).toFixed(1))} %`, changes: [{ path, value }] };
}

/** Warns of an exit that earns more than the fees, but loses most of it to them. */
export function feesFinding(costs: ExitCosts): Finding | undefined {
  const { path, exit, breakEven } = costs;
  const share = (breakEven - 1) / (exit - 1);
  if (exit < breakEven || share <= MUCH) return undefined;
  const text = (part: number): string => `${Number((part * 100).toFixed(2))} %`;
  return {
    ...{ level: 'warn', code: 'fees-eat-exit', path },
    message: `Fees eat ${Math.round(share * 100)} % of this exit: it earns ${text(exit - 1)}, and buy and sale cost ${text(breakEven - 1)}.`,
    fix: exitFix(costs),
  };
}
