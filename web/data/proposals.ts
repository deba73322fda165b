import { listProposals } from '#api/contract/proposals.ts';
import type { Answer } from '#api/contract/operation.ts';
import { useRead } from './read.ts';
import { useDemo } from './session.tsx';

export type Proposal = Answer<typeof listProposals>['proposals'][number];

const MOST_SHOWN = '50';
const JUDGED_OR_LATER: readonly string[] = ['done', 'pending', 'taken'];

/** True while the operator can decide: open, and not refused by the worker. */
export const isWaiting = ({ state, preview }: Pick<Proposal, 'state' | 'preview'>): boolean =>
  state === 'open' && preview !== null && JUDGED_OR_LATER.includes(preview.state);

/** The newest proposals, polled every `every` ms; none in a live demo. */
export function useProposals(every: number) {
  const demo = useDemo();
  return useRead(listProposals, { query: { limit: MOST_SHOWN } }, { every, enabled: !demo });
}
