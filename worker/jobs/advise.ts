import { askAi } from '#integrations/ai-provider.ts';
import { type Question, finishQuestion, readAiProvider, claimQuestion } from '#storage/research/advisor.ts';
import type { JobRun } from '#storage/jobs/queue.ts';
import { readAnyRun } from '#storage/research/research.ts';
import { readOperator } from '#storage/operator/users.ts';
import { advicePrompt } from '#strategies/advice-prompt.ts';
import { readAdvice } from '#strategies/advice-reply.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { WorkerContext } from '#worker/context.ts';

/** Shorter than the queue's time limit for the job. */
const TIMEOUT_MS = 180_000;
const MOST_TOKENS = 8_000;

type Outcome = Parameters<typeof finishQuestion>[2];
type Run = NonNullable<Awaited<ReturnType<typeof readAnyRun>>>;

async function answer(
  { database, env }: WorkerContext,
  run: Run,
  { slot, signal }: Pick<Question, 'slot'> & Pick<JobRun, 'signal'>,
) {
  const operator = await readOperator(database.kysely);
  const provider = operator && (await readAiProvider(database.kysely, operator.id));
  const strategy = STRATEGIES.get(run.strategyName);
  const config = strategy?.config.safeParse(run.config);
  if (slot === 'manual' || provider === undefined)
    return { error: 'No AI provider is set up: set one up under Settings.' };
  if (strategy === undefined || config?.success !== true)
    return { error: 'The settings of this backtest are outside their bounds.' };
  const judged = { strategy, config: config.data };
  const text = advicePrompt({ ...run, ...judged }, slot);
  const reply = await askAi(env.OUTGOING_PRIVATE, provider, {
    text,
    mostTokens: MOST_TOKENS,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (!reply.ok) return { error: reply.detail };
  const { model } = reply;
  const advice = readAdvice(judged, reply.text);
  return advice === undefined
    ? { model, error: `${model} answered, but not in the requested form. Request it again.` }
    : { model, advice };
}

/** Sends a question about a backtest to the AI provider once: an interrupted question fails and is never sent again. */
export async function advise(context: WorkerContext, ask: Question, { signal }: Pick<JobRun, 'signal'>): Promise<void> {
  const { kysely } = context.database;
  const run = await readAnyRun(kysely, ask.runId);
  if (run === undefined) return;
  const outcome: Outcome = (await claimQuestion(kysely, ask))
    ? await answer(context, run, { slot: ask.slot, signal })
    : {
        error:
          'The worker ended while it waited for the answer, so the answer is lost. The provider may have charged for it. Request it again if needed.',
      };
  await finishQuestion(kysely, ask, outcome);
  const state = outcome.error === undefined ? 'done' : 'failed';
  context.announcer.announce({ topic: 'backtest', id: run.profileId, data: { id: ask.runId, slot: ask.slot, state } });
}
