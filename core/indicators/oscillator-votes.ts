import { createAdx } from './adx.ts';
import { type Vote, type Votes, voteOf } from './average-votes.ts';
import { createAwesome } from './awesome.ts';
import { createCci } from './cci.ts';
import { createElderPower } from './elder-power.ts';
import { type Bar, type Indicator, type IndicatorState, numberOf, partOf, ringOf } from './indicator.ts';
import { createMacd } from './macd.ts';
import { createMomentum } from './momentum.ts';
import { createRsi } from './rsi.ts';
import { createStochRsi } from './stoch-rsi.ts';
import { createStochastic } from './stochastic.ts';
import { createUltimate } from './ultimate.ts';
import { createWilliamsR } from './williams-r.ts';

/** An oscillator that votes on each candle. Before its value is ready (NaN) the vote is neutral. */
interface Voter {
  vote(bar: Bar, trend: Vote): Vote;
  state(): IndicatorState;
}
type MakeVoter = (saved: IndicatorState | undefined) => Voter;

/** Below 30 and turning up, above 70 and turning down. */
const makeRsi: MakeVoter = (saved) => {
  const rsi = createRsi(14, saved);
  const vote = (bar: Bar): Vote => {
    const was = rsi.value;
    rsi.push(bar.close);
    return voteOf(rsi.value < 30 && rsi.value > was, rsi.value > 70 && rsi.value < was);
  };
  return { vote, state: () => rsi.state() };
};

/** Both lines below 20 and %K crossing above %D; both above 80 and crossing below. */
const makeStochastic: MakeVoter = (saved) => {
  const lines = createStochastic({ length: 14, smooth: 3, signal: 3 }, saved);
  const vote = (bar: Bar): Vote => {
    const was = lines.k - lines.d;
    lines.push(bar);
    const { k, d } = lines;
    return voteOf(k < 20 && d < 20 && k > d && was < 0, k > 80 && d > 80 && k < d && was > 0);
  };
  return { vote, state: () => lines.state() };
};

/** Below -100 and rising, above 100 and falling. */
const makeCci: MakeVoter = (saved) => {
  const cci = createCci(20, saved);
  const vote = (bar: Bar): Vote => {
    const was = cci.value;
    cci.push(bar);
    return voteOf(cci.value < -100 && cci.value > was, cci.value > 100 && cci.value < was);
  };
  return { vote, state: () => cci.state() };
};

/** A trend stronger than 20 whose direction has just turned. */
const makeAdx: MakeVoter = (saved) => {
  const adx = createAdx(14, saved);
  const vote = (bar: Bar): Vote => {
    const was = adx.plus - adx.minus;
    adx.push(bar);
    const { plus, minus, value } = adx;
    return voteOf(value > 20 && was < 0 && plus > minus, value > 20 && was > 0 && plus < minus);
  };
  return { vote, state: () => adx.state() };
};

/** Crossing 0, or turning back away from it ("saucer") without having touched it. */
const makeAwesome: MakeVoter = (saved) => {
  const awesome = createAwesome({ fast: 5, slow: 34 }, partOf(saved, 'line'));
  const s = { before: numberOf(saved, 'before') };
  const vote = (bar: Bar): Vote => {
    const [before, was] = [s.before, awesome.value];
    awesome.push(bar);
    const now = awesome.value;
    s.before = Number.isNaN(was) ? 0 : was;
    return voteOf(
      (now > 0 && was <= 0) || (now > 0 && was > 0 && now > was && before > was),
      (now < 0 && was >= 0) || (now < 0 && was < 0 && now < was && before < was),
    );
  };
  return { vote, state: () => ({ ...s, line: awesome.state() }) };
};

/** Rising or falling. */
const makeMomentum: MakeVoter = (saved) => {
  const momentum = createMomentum(10, saved);
  const vote = (bar: Bar): Vote => {
    const was = momentum.value;
    momentum.push(bar.close);
    return voteOf(momentum.value > was, momentum.value < was);
  };
  return { vote, state: () => momentum.state() };
};

/** Above or below its signal. */
const makeMacd: MakeVoter = (saved) => {
  const macd = createMacd({ fast: 12, slow: 26, signal: 9 }, saved);
  const vote = (bar: Bar): Vote => {
    macd.push(bar.close);
    return voteOf(macd.value > macd.signal, macd.value < macd.signal);
  };
  return { vote, state: () => macd.state() };
};

/** As the stochastic, and only against the trend. */
const makeStochRsi: MakeVoter = (saved) => {
  const lines = createStochRsi({ rsi: 14, length: 14, smooth: 3, signal: 3 }, saved);
  const vote = (bar: Bar, trend: Vote): Vote => {
    const was = lines.k - lines.d;
    lines.push(bar.close);
    const { k, d } = lines;
    return voteOf(trend < 0 && k < 20 && d < 20 && k > d && was < 0, trend > 0 && k > 80 && d > 80 && k < d && was > 0);
  };
  return { vote, state: () => lines.state() };
};

/** Below -80 and rising, above -20 and falling. */
const makeWilliamsR: MakeVoter = (saved) => {
  const williams = createWilliamsR(14, saved);
  const vote = (bar: Bar): Vote => {
    const was = williams.value;
    williams.push(bar);
    return voteOf(williams.value < -80 && williams.value > was, williams.value > -20 && williams.value < was);
  };
  return { vote, state: () => williams.state() };
};

/** Weakening bears in a rising trend, weakening bulls in a falling trend. */
const makeElderPower: MakeVoter = (saved) => {
  const power = createElderPower(13, saved);
  const vote = (bar: Bar, trend: Vote): Vote => {
    const [bullWas, bearWas] = [power.bull, power.bear];
    power.push(bar);
    const { bull, bear } = power;
    return voteOf(trend > 0 && bear < 0 && bear > bearWas, trend < 0 && bull > 0 && bull < bullWas);
  };
  return { vote, state: () => power.state() };
};

/** Above 70 buy, below 30 sell: strength follows the trend here. */
const makeUltimate: MakeVoter = (saved) => {
  const ultimate = createUltimate({ short: 7, middle: 14, long: 28 }, saved);
  const vote = (bar: Bar): Vote => {
    ultimate.push(bar);
    return voteOf(ultimate.value > 70, ultimate.value < 30);
  };
  return { vote, state: () => ultimate.state() };
};

const VOTERS: readonly (readonly [string, MakeVoter])[] = [
  ['rsi14', makeRsi],
  ['stochastic14', makeStochastic],
  ['cci20', makeCci],
  ['adx14', makeAdx],
  ['awesome', makeAwesome],
  ['momentum10', makeMomentum],
  ['macd', makeMacd],
  ['stochRsi14', makeStochRsi],
  ['williamsR14', makeWilliamsR],
  ['elderPower13', makeElderPower],
  ['ultimate', makeUltimate],
];
export const OSCILLATOR_VOTES = VOTERS.length;

/** The awesome oscillator's third value comes last. */
const OSCILLATORS_READY = 36;

interface OscillatorVotes extends Indicator {
  /** `trend`: 1 when this close is above EMA(50), -1 when it is below. */
  push(bar: Bar, trend: Vote): void;
  /** Votes to buy minus votes to sell, of `OSCILLATOR_VOTES`. */
  sum(): number;
  votes(): Votes;
}

/** The votes of the oscillators on the last candle; each compares its value with that of the candle before. */
export function createOscillatorVotes(saved?: IndicatorState): OscillatorVotes {
  const voters = VOTERS.map(([name, make]) => ({ name, voter: make(partOf(saved, name)) }));
  const votes = Int8Array.from(ringOf(saved, 'votes', voters.length));
  const s = { count: numberOf(saved, 'count') };
  const voteAt = (index: number): Vote => voteOf((votes[index] ?? 0) > 0, (votes[index] ?? 0) < 0);
  return {
    push(bar, trend) {
      for (let i = 0; i < voters.length; i += 1) votes[i] = voters[i]?.voter.vote(bar, trend) ?? 0;
      s.count += 1;
    },
    get ready() {
      return s.count >= OSCILLATORS_READY;
    },
    sum() {
      let sum = 0;
      for (let i = 0; i < votes.length; i += 1) sum += votes[i] ?? 0;
      return sum;
    },
    votes: () => Object.fromEntries(voters.map(({ name }, i) => [name, voteAt(i)])),
    state: () => ({
      ...s,
      votes: Array.from(votes),
      ...Object.fromEntries(voters.map(({ name, voter }) => [name, voter.state()])),
    }),
  };
}
