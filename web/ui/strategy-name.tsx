import { useQuery } from '@tanstack/react-query';
import { strategiesQuery } from '#web/data/queries.ts';

/** A strategy as a person calls it. */
export function StrategyName({ name }: { name: string }): string {
  const { data } = useQuery(strategiesQuery);
  return data?.strategies.find((one) => one.name === name)?.title ?? name;
}
