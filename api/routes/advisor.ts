import { advicePrompt } from '#strategies/advice-prompt.ts';
import { readAdvice } from '#strategies/advice-reply.ts';
import {
  adviceOf,
  startQuestion,
  finishQuestion,
  listSlots,
  readAiProvider,
  type SlotRow,
} from '#storage/research/advisor.ts';
import { requireStrategy } from '#api/checks/config-check.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { askAdvisor, keepAdvisorReply, readAdvisor, readAdvisorPrompt } from '#api/contract/advisor.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import { parseWith } from '#api/frame/validate.ts';
import { requireRun } from './backtests.ts';

const viewOf = (row: SlotRow) => ({
  slot: row.slot,
  state: row.state,
  model: row.model,
  error: row.error,
  ...adviceOf(row),
  askedAt: row.askedAt,
  finishedAt: row.finishedAt,
});

type OfRun = Pick<Incoming<typeof readAdvisor>, 'params'>;

/** Requires a finished backtest with settings that are still valid. */
async function requireAdvisable(context: ApiContext, incoming: OfRun) {
  const run = await requireRun(context, incoming);
  if (run.state !== 'done')
    throw new ApiProblem('conflict', `The backtest is ${run.state}: only a finished one can be advised on.`);
  const strategy = requireStrategy(run.strategyName);
  const config = parseWith(strategy.config, run.config);
  if (!config.success)
    throw new ApiProblem(
      'conflict',
      'The settings of this backtest are outside their bounds: correct them and run it again.',
    );
  return { ...run, strategy, config: config.data };
}

const replaced = (): ApiProblem => new ApiProblem('conflict', 'This question is already running: wait for the answer.');

async function ask(context: ApiContext, incoming: Incoming<typeof askAdvisor>) {
  const { operator, commit, params } = incoming;
  const { id: runId } = await requireAdvisable(context, incoming);
  const { variant: slot } = params;
  return commit(async ({ transaction }) => {
    const provider = await readAiProvider(transaction, operator.user.id);
    if (provider === undefined)
      throw new ApiProblem(
        'conflict',
        'No AI provider is set up: set one up under Settings, or put the question to a chat by hand.',
      );
    const begun = await startQuestion(transaction, runId, slot);
    if (begun === undefined) throw replaced();
    await context.queue.enqueueIn(transaction, { name: 'advise', data: { runId, slot, askId: begun.askId } });
    const after = { slot, provider: provider.provider, baseUrl: provider.baseUrl, model: provider.model };
    return { answer: viewOf(begun), subject: runId, after };
  });
}

async function keepReply(context: ApiContext, incoming: Incoming<typeof keepAdvisorReply>) {
  const { commit, body } = incoming;
  const { id: runId, strategy, config } = await requireAdvisable(context, incoming);
  const advice = readAdvice({ strategy, config }, body.reply);
  if (advice === undefined)
    throw invalidField(
      'reply',
      'holds no answer: it needs a JSON object with "suggestions", as the question describes',
    );
  return commit(async ({ transaction }) => {
    const slot = 'manual';
    const begun = await startQuestion(transaction, runId, slot);
    if (begun === undefined) throw replaced();
    await finishQuestion(transaction, { runId, slot, askId: begun.askId }, { advice });
    const after = { suggestions: advice.suggestions.length, dropped: advice.dropped.length };
    const [kept] = (await listSlots(transaction, runId)).filter((row) => row.slot === slot);
    return { answer: viewOf(kept ?? begun), subject: runId, after };
  });
}

/** The advisor proposes; no operation here changes a profile. */
export function mountAdvisor({ context, handle }: Routes): void {
  handle(readAdvisor, async (incoming) => {
    const { id } = await requireRun(context, incoming);
    return { slots: (await listSlots(context.database.kysely, id)).map(viewOf) };
  });
  handle(readAdvisorPrompt, async (incoming) => ({
    prompt: advicePrompt(await requireAdvisable(context, incoming), incoming.query.variant),
  }));
  handle(keepAdvisorReply, (incoming) => keepReply(context, incoming));
  handle(askAdvisor, (incoming) => ask(context, incoming));
}
