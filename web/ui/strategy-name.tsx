import { useQuery } from '@tanstack/react-query';
import { strategiesQuery } from '#web/data/queries.ts';

/** The title of a strategy. */
export function StrategyName({ name }: { name: string }): string {
  const { data } = useQuery(strategiesQuery);
  return data?.strategies.find((strategy) => strategy.name === name)?.title ?? name;
}
