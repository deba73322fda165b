/** Sums over closed trades: `won` and `lost` are the sums of the nets above and below zero. */
export interface Tally {
  cycles: number;
  wins: number;
  net: number;
  won: number;
  lost: number;
}

export const openTally = (): Tally => ({ cycles: 0, wins: 0, net: 0, won: 0, lost: 0 });

export function addNet(tally: Tally, net: number): void {
  tally.cycles += 1;
  tally.net += net;
  if (net > 0) tally.wins += 1;
  if (net < 0) tally.lost -= net;
  else tally.won += net;
}
