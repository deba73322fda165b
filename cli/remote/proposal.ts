import { isObject } from '#core/merge.ts';
import type { Answer } from '#api/contract/operation.ts';
import { approveProposal, cancelProposal, denyProposal, listProposals, readProposal } from '#api/contract/proposals.ts';
import { ClientProblem } from '#api/script-client.ts';
import { type Remote, requireFlag, table } from './remote.ts';

type Proposal = Answer<typeof readProposal>;

const textOf = (value: unknown): string => (value === undefined || value === null ? '-' : String(value));

/** The judgement of the worker: cost and worst loss, or why it refuses. */
function judgementOf({ preview, quoteAsset }: Proposal): string {
  if (preview?.state !== 'done') return preview?.reason ?? preview?.state ?? 'not judged';
  const detail = isObject(preview.detail) ? preview.detail : {};
  const [quantity, price, quote, worst] = ['quantity', 'price', 'quote', 'worstLoss'].map((name) =>
    textOf(detail[name]),
  );
  return `${quantity} at ${price}, ${quote} ${quoteAsset}, worst loss ${worst}`;
}

function orderOf({ order, symbol }: Proposal): string {
  const { side, type, price, quantity, quoteAmount } = isObject(order) ? order : {};
  const size = quoteAmount === undefined ? textOf(quantity) : `for ${textOf(quoteAmount)}`;
  return `${textOf(side)} ${symbol} ${size} ${price === undefined ? textOf(type) : `at ${textOf(price)}`}`;
}

const requireId = (flags: ReadonlyMap<string, string>): string => requireFlag(flags, 'id', 'the id of the proposal');

export const PROPOSAL = {
  list: {
    flags: {},
    async run(link) {
      const answer = await link.call(listProposals, {});
      const rows = answer.proposals.map((proposal) => [
        ...[proposal.id, proposal.state, proposal.tokenName, orderOf(proposal), judgementOf(proposal)],
        ...[proposal.expiresAt, proposal.reason],
      ]);
      return { answer, lines: table([['ID', 'STATE', 'TOKEN', 'ORDER', 'JUDGEMENT', 'EXPIRES', 'WHY'], ...rows]) };
    },
  },
  approve: {
    flags: { id: 'text', hash: 'text' },
    signsIn: true,
    async run(link, flags) {
      const id = requireId(flags);
      const hash = flags.get('hash');
      if (hash === undefined) {
        const proposal = await link.call(readProposal, { params: { id } });
        throw new ClientProblem(
          `${proposal.tokenName} asks: ${orderOf(proposal)} (${judgementOf(proposal)}). To approve exactly this: --hash ${proposal.hash}`,
        );
      }
      const answer = await link.call(approveProposal, { params: { id }, body: { hash } });
      return { answer, lines: [`Approved. The worker carries it out as action ${answer.actionId}.`] };
    },
  },
  deny: {
    flags: { id: 'text' },
    signsIn: true,
    async run(link, flags) {
      const id = requireId(flags);
      await link.call(denyProposal, { params: { id } });
      return { answer: { id }, lines: ['Denied.'] };
    },
  },
  cancel: {
    flags: { id: 'text' },
    async run(link, flags) {
      const id = requireId(flags);
      await link.call(cancelProposal, { params: { id } });
      return { answer: { id }, lines: ['Withdrawn.'] };
    },
  },
} satisfies Record<string, Remote>;
