import { listStrategies } from '#api/contract/profiles.ts';
import { useRead } from '#web/data/read.ts';

/** The title of a strategy. */
export function StrategyName({ name }: { name: string }): string {
  const { data } = useRead(listStrategies, {});
  return data?.strategies.find((strategy) => strategy.name === name)?.title ?? name;
}
