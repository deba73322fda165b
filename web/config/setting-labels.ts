import { useQuery } from '@tanstack/react-query';
import { strategiesQuery } from '#web/data/queries.ts';
import { schemaGroups, type SchemaField } from './schema-fields.ts';
import { settingText } from './setting-text.ts';

/** Labels of the settings of a strategy, and their values as text. */
export interface Labels {
  readonly labelOf: (path: string) => string;
  readonly wordsOf: (path: string, value: unknown) => string;
}

/** Labels by dotted path; the path itself where the strategy has no label. */
export function useLabels(strategyName: string, config: unknown): Labels {
  const { data } = useQuery(strategiesQuery);
  const schema = data?.strategies.find(({ name }) => name === strategyName)?.schema;
  const fields = new Map<string, SchemaField>(
    schemaGroups(schema, config)
      .flatMap((group) => group.fields)
      .map((field) => [field.path, field] as const),
  );
  return {
    labelOf: (path) => fields.get(path)?.label ?? path,
    wordsOf: (path, value) => {
      const field = fields.get(path);
      if (field !== undefined) return settingText(field, value);
      return value === undefined || value === null
        ? 'not set'
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
    },
  };
}
