import { basketCoin, type BasketCoin, createBasket } from '#core/sizing/basket.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { add, type Decimal, fromSteps, multiply, toNumber } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { type BookedFill, cashFor, openBalance, type SharedBalance } from './book.ts';
import { endDays, type EquityMeter, moveExtremes, openMeter } from './equity.ts';
import { baseFeeRate } from './fills.ts';
import { actInside } from './inside.ts';
import { openRun } from './kernel.ts';
import type { KernelInput, Run } from './run-state.ts';
import { updateStop, matchCandle, fillAtOpen, placeDecision, withFailedStop } from './market.ts';
import { type AccountLimits, openLimits } from './portfolio-limits.ts';

/** The coins of one profile, all bound to its strategy; `id` is the subject of its limits. */
interface PortfolioProfile {
  readonly id: ProfileId;
  readonly coins: readonly KernelInput[];
}

/** Profiles of one account. All coins share the balance, the costs and the detail interval. Each coin appears once. */
export interface Portfolio {
  readonly profiles: readonly PortfolioProfile[];
  readonly limits?: AccountLimits;
}

export interface PortfolioFill extends BookedFill {
  readonly symbol: string;
}

/** Outcome of all coins together. */
export interface PortfolioRun {
  /** In order of time. */
  readonly fills: readonly PortfolioFill[];
  readonly meter: EquityMeter;
  /** Count of each reason over all coins. */
  readonly counts: ReadonlyMap<string, number>;
  /** Each coin, in the order of the profiles. */
  readonly runs: readonly Run[];
  /** Closes with a candle of any coin, and closes with a position in any coin. */
  readonly closes: number;
  readonly heldCloses: number;
  /** Candles that crossed a price at which a strategy acts, but did not close there; 0 unless the run looks inside candles. */
  readonly crossed: number;
  /** Mean over the closes of (value of the coins / equity). A quantity below one lot counts as zero. */
  readonly meanExposure: number;
}

/** Receives the reason of each coin at each close, after its order was placed. */
type OnReason = (run: Run, nowMs: number, reason: string) => void;

/** State of one coin in the run. */
interface CoinRun {
  readonly run: Run;
  readonly symbol: string;
  readonly profile: PortfolioProfile;
  readonly guards: boolean;
  readonly looksInside: boolean;
  /** The next detail candle of the coin, and when it opens. */
  row: number;
  opensMs: number;
  close: number;
  readonly step: number;
  /** Close of its newest closed signal candle. */
  closedMs: number;
  crossed: number;
  /** Tally of its last reason. */
  tally: Tally;
}

/** Count of one reason. */
interface Tally {
  readonly reason: string;
  count: number;
}

function tallyOf(tallies: Map<string, Tally>, reason: string): Tally {
  const tally = tallies.get(reason) ?? { reason, count: 0 };
  tallies.set(reason, tally);
  return tally;
}

/**
 * Runs the coins of an account together, with one balance and the risk limits. Detail candles are processed in order of
 * time. At each open, first the market orders of all coins fill, then resting orders are matched coin by coin. Then the coins
 * decide one after the other, in the order of the profiles. A profile with a planner plans at the turn of each coin. See kernel.ts for the fill model.
 */
export function runPortfolio(portfolio: Portfolio, onReason?: OnReason): PortfolioRun {
  const inputs = portfolio.profiles.flatMap(({ coins }) => coins);
  const [first] = inputs;
  if (first === undefined) throw new RangeError('a run needs a coin');
  const balance = openBalance(first.terms.balance);
  const coinRuns = portfolio.profiles.flatMap((profile) =>
    profile.coins.map((input) => openCoinRun(profile, input, balance)),
  );
  shareAccount(coinRuns, balance, portfolio.limits);
  const turns = turnsOf(portfolio, coinRuns);
  const lengthMs = INTERVAL_MS[first.detail.interval];
  const meter = openMeter(toNumber(first.terms.balance), Math.min(...coinRuns.map(({ opensMs }) => opensMs)));
  const fills: PortfolioFill[] = [];
  const tallies = new Map<string, Tally>();
  let [closes, heldCloses, exposure] = [0, 0, 0];
  for (;;) {
    const opensMs = nextOpen(coinRuns);
    if (opensMs === Number.POSITIVE_INFINITY) break;
    const nowMs = opensMs + lengthMs;
    if (nowMs > meter.dayEndMs) endDays(meter, nowMs);
    for (const coinRun of coinRuns) if (coinRun.opensMs === opensMs) matchOpen(coinRun, fills);
    for (const coinRun of coinRuns) if (coinRun.opensMs === opensMs) advance(coinRun, nowMs, fills);
    for (const coinRun of coinRuns) {
      // A coin before its first candle has the time of that open, and no price.
      if (coinRun.run.view.nowMs !== nowMs || coinRun.row === coinRun.run.input.start) continue;
      turns.get(coinRun.run)?.(opensMs);
      const reason = act(coinRun);
      if (reason !== coinRun.tally.reason) coinRun.tally = tallyOf(tallies, reason);
      coinRun.tally.count += 1;
      onReason?.(coinRun.run, nowMs, reason);
    }
    closes += 1;
    if (isAnyHeld(coinRuns)) heldCloses += 1;
    meter.last = balance.cashNumber + heldWorth(coinRuns);
    exposure += shareHeld(coinRuns, balance);
    if (meter.last > meter.peak || meter.last < meter.floor) moveExtremes(meter, meter.last, nowMs);
  }
  const crossed = coinRuns.reduce((sum, coinRun) => sum + coinRun.crossed, 0);
  const counts = new Map([...tallies.values()].map(({ reason, count }) => [reason, count]));
  const runs = coinRuns.map(({ run }) => run);
  return { fills, meter, counts, runs, closes, heldCloses, crossed, meanExposure: exposure / Math.max(1, closes) };
}

function openCoinRun(profile: PortfolioProfile, input: KernelInput, balance: SharedBalance): CoinRun {
  const run = openRun(input, balance);
  const { bound, detail, start, end } = input;
  const startMs = detail.columns.openMs[start] ?? 0;
  return {
    ...{ run, profile, symbol: input.rules.symbol, row: start, crossed: 0, tally: { reason: '', count: 0 } },
    opensMs: start < end ? startMs : Number.POSITIVE_INFINITY,
    guards: bound.shared.protectiveStop !== undefined,
    looksInside: input.inside === true && run.instance.reach !== undefined,
    close: detail.columns.open[start] ?? 0,
    step: toNumber(input.rules.lot.step),
    // As in live trading, the first plan uses the candle that closed before the window.
    closedMs: run.feed.warmUp > 0 ? startMs - (startMs % INTERVAL_MS[bound.needs.interval]) : 0,
  };
}

/** Connects every coin to the limits and the equity of the account. */
function shareAccount(coinRuns: readonly CoinRun[], balance: SharedBalance, limits: AccountLimits | undefined): void {
  const coins = coinRuns.map(({ run: { book }, symbol, profile }) => ({ book, symbol, profileId: profile.id }));
  const judge = limits === undefined ? undefined : openLimits(coins, limits);
  const equity = (): Decimal => coinRuns.reduce((sum, coinRun) => add(sum, worthOf(coinRun)), balance.cash);
  for (const [i, { run }] of coinRuns.entries()) {
    const coin = coins[i];
    const judged = coin === undefined ? undefined : judge?.(coin);
    run.situation.account = { refusal: () => undefined, rooms: () => [], placed: () => undefined, ...judged, equity };
  }
}

const worthOf = ({ run: { book, view } }: CoinRun): Decimal =>
  multiply(book.position.quantity, fromSteps(view.price, book.rules.price.tick));

/** The open of the next candle of any coin; infinite at the end. */
function nextOpen(coinRuns: readonly CoinRun[]): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { opensMs } of coinRuns) if (opensMs < next) next = opensMs;
  return next;
}

function isAnyHeld(coinRuns: readonly CoinRun[]): boolean {
  for (const { run } of coinRuns) if (run.view.sellable) return true;
  return false;
}

function heldWorth(coinRuns: readonly CoinRun[]): number {
  let worth = 0;
  for (const { run, close } of coinRuns) worth += run.book.quantityNumber * close;
  return worth;
}

/** Share of the equity in coins that can be sold. */
function shareHeld(coinRuns: readonly CoinRun[], { cashNumber }: SharedBalance): number {
  let worth = 0;
  for (const { run, close, step } of coinRuns) {
    const { quantityNumber } = run.book;
    if (quantityNumber >= step) worth += quantityNumber * close;
  }
  return worth === 0 ? 0 : worth / (cashNumber + worth);
}

/** Fills the market order of the last close. All coins do so before any candle is matched: no coin spends a later sale. */
function matchOpen(coinRun: CoinRun, fills: PortfolioFill[]): void {
  const { run, row } = coinRun;
  if (run.book.pending === null) return;
  const known = run.book.fills.length;
  fillAtOpen(run, row);
  collectFills(coinRun, known, fills);
}

function collectFills({ run, symbol }: CoinRun, known: number, fills: PortfolioFill[]): void {
  if (run.book.fills.length === known) return;
  for (const fill of run.book.fills.slice(known)) fills.push({ ...fill, symbol });
}

/** Matches the orders of a coin against its next candle, then takes the coin to the close. */
function advance(coinRun: CoinRun, nowMs: number, fills: PortfolioFill[]): void {
  const { run, row } = coinRun;
  const { book, view, feed, wake, grid, input, gates } = run;
  const { low, high, close, openMs } = input.detail.columns;
  const known = book.fills.length;
  const reached = (low[row] ?? 0) < wake.below || (high[row] ?? 0) > wake.above;
  if (reached) matchCandle(run, row);
  if (coinRun.looksInside && actInside(run, row) && !reached) coinRun.crossed += 1;
  collectFills(coinRun, known, fills);
  coinRun.close = close[row] ?? 0;
  coinRun.row = row + 1;
  coinRun.opensMs = row + 1 < input.end ? (openMs[row + 1] ?? 0) : Number.POSITIVE_INFINITY;
  view.nowMs = nowMs;
  view.price = grid.closeTicks[row] ?? 0;
  if (gates !== null && gates.nextMs <= nowMs) gates.feedClosed();
  if (feed.nextCloseMs > nowMs) return;
  feed.feedClosed();
  coinRun.closedMs = nowMs - (nowMs % INTERVAL_MS[input.bound.needs.interval]);
}

function act({ run, guards }: CoinRun): string {
  const { book, view, instance } = run;
  const decided = instance.decide(view);
  const decision = book.stop?.triggered === true ? withFailedStop(decided, book, view) : decided;
  const reason = decision.kind === 'nothing' ? decision.reason : placeDecision(run, decision);
  if (guards && (view.sellable || book.stop !== null || book.target !== null)) updateStop(run, false);
  return reason;
}

type PlanTurn = (opensMs: number) => void;

/** For coins of a profile with a planner: updates the plan and the coin's part of it before the decision. */
function turnsOf({ profiles }: Portfolio, coinRuns: readonly CoinRun[]): ReadonlyMap<Run, PlanTurn> {
  const turns = new Map<Run, PlanTurn>();
  for (const profile of profiles) {
    const planner = profile.coins[0]?.bound.planner;
    if (planner === undefined) continue;
    const basket = createBasket(planner);
    const own = coinRuns.filter((coinRun) => coinRun.profile === profile);
    let coins: readonly BasketCoin[] = [];
    let lookedMs = -1;
    let former = 0;
    for (const [i, { run, symbol }] of own.entries()) {
      const look = (opensMs: number): readonly BasketCoin[] => {
        if (lookedMs !== opensMs) return own.map((coinRun) => coinOf(coinRun, opensMs));
        // Within one close only the coin whose turn it was can have changed.
        const coinRun = own[former];
        return coinRun === undefined ? coins : coins.with(former, coinOf(coinRun, opensMs));
      };
      turns.set(run, (opensMs) => {
        coins = look(opensMs);
        [lookedMs, former] = [opensMs, i];
        const { takerFee, nowMs } = run.view;
        const freeQuote = toNumber(cashFor(run.book));
        run.view.basket = basket.turn(symbol, nowMs, { coins, freeQuote, takerFee });
      });
    }
  }
  return turns;
}

/** A coin whose candle is missing has no fresh price. */
function coinOf({ run, row, closedMs }: CoinRun, opensMs: number): BasketCoin {
  const { book, instance, input, view } = run;
  const { rules, terms } = input;
  const score = instance.ranking?.score() ?? null;
  const fresh = row > input.start && input.detail.columns.openMs[row - 1] === opensMs;
  const shortfall = score === null ? 'enough candles' : null;
  const facts = { score, closedMs, lacks: fresh ? shortfall : 'a fresh price', settled: book.pending === null };
  const price = fromSteps(view.price, rules.price.tick);
  return basketCoin({ position: book.position, rules, price, baseFeeRate: baseFeeRate(terms), ...facts });
}
