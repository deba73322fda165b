import type { Dashboard } from '#web/data/answers.ts';

/** Says "None." only when every coin has been decided on. */
export function noneText({ coins, undecided, waiting }: Omit<Dashboard['blockers'], 'list'>): string {
  if (coins === 0) return 'No running profile has a coin.';
  if (undecided > 0) return `Not known yet: ${counted(undecided, 'coin has', 'coins have')} not been decided on.`;
  const waits = `${counted(waiting, 'coin waits', 'coins wait')} for ${waiting === 1 ? 'its' : 'their'} buy price.`;
  return waiting === 0 ? 'None.' : `None. ${waits}`;
}

/** Activity without a trade: after the first decisions it no longer says that there were none. */
export const noTradesText = (decisions: number): string =>
  decisions === 0
    ? 'No activity yet. The first decision appears within seconds.'
    : 'No trades yet. The next buy and its steps appear here.';

const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
