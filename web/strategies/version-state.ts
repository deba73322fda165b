import type { Answer } from '#api/contract/operation.ts';
import type { listStrategyFiles } from '#api/contract/strategy-files.ts';
import type { IconName } from '#web/ui/icon.tsx';

export type FileVersion = Answer<typeof listStrategyFiles>['versions'][number];

/** Short name of a version. */
export const shortHash = (hash: string): string => hash.slice(0, 8);

interface VersionState {
  readonly icon: IconName;
  readonly words: string;
  /** Colour of a state that needs attention. */
  readonly care: boolean;
}

/** State of a version in words; the first that applies. */
export function stateOf({ quarantine, checkRequestedAt, check, certifiedAt }: FileVersion): VersionState {
  if (quarantine !== null) return { icon: 'oct', words: 'Quarantined, buys nothing', care: true };
  if (checkRequestedAt !== null) return { icon: 'ring', words: 'Checking', care: false };
  if (check !== null && !check.passed) return { icon: 'x', words: 'Check failed', care: true };
  if (certifiedAt !== null) return { icon: 'ok', words: 'Checked', care: false };
  return { icon: 'q', words: 'Not checked', care: false };
}

/** The version that the file of a profile has now, when the profile uses another one. */
export function newVersionFor(strategyName: string, versions: readonly FileVersion[]): FileVersion | undefined {
  const [name, hash] = strategyName.split('@', 2);
  if (hash === undefined) return undefined;
  return versions.find((version) => version.name === name && version.present && version.hash !== hash);
}
