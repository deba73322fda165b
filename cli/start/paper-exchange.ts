import type { PaperMarket, PaperState } from '#core/installation/paper-market.ts';
import { type ChildPlan, SupervisedChild } from './child.ts';
import type { ChosenMarket } from './paper-market.ts';
import { StartProblem } from './start-problem.ts';
import type { Terminal } from './terminal.ts';

interface PaperPlan {
  readonly terminal: Terminal;
  /** The plan of the process for a market. */
  readonly planOf: (market: ChosenMarket) => ChildPlan;
}

/** The process of the paper exchange. It is replaced by another one when the market changes. */
export class PaperExchange implements AsyncDisposable {
  readonly #plan: PaperPlan;
  #child: SupervisedChild | undefined;
  #state: PaperState;

  constructor(plan: PaperPlan, market: ChosenMarket) {
    this.#plan = plan;
    this.#state = { market, problem: null };
  }

  get state(): PaperState {
    return this.#state;
  }

  /** Starts it. Live prices that cannot be reached are replaced by the invented market. Throws StartProblem. */
  async start(): Promise<void> {
    const { market } = this.#state;
    await this.#run(market).catch(async (error: unknown) => {
      if (market !== 'live' || !(error instanceof StartProblem) || error.message.startsWith('Port ')) throw error;
      this.#plan.terminal.trouble('paper', `${error.message} The simulated market runs instead.`);
      await this.#run('invented');
      this.#state = { market: 'invented', problem: error.message };
    });
  }

  /** Runs another market. When that fails, the market of before runs again, and the state says why. */
  async switchTo(market: PaperMarket): Promise<boolean> {
    const { market: before } = this.#state;
    try {
      await this.#run(market);
      this.#state = { market, problem: null };
      return true;
    } catch (error) {
      if (!(error instanceof StartProblem)) throw error;
      this.#plan.terminal.trouble('paper', error.message);
      await this.#run(before);
      this.#state = { market: before, problem: error.message };
      return false;
    }
  }

  kill(): void {
    this.#child?.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    await child?.[Symbol.asyncDispose]();
  }

  async #run(market: ChosenMarket): Promise<void> {
    await this[Symbol.asyncDispose]();
    this.#child = new SupervisedChild(this.#plan.planOf(market), this.#plan.terminal);
    await this.#child.ready();
  }
}
