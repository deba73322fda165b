import { listStrategies } from '#api/contract/profiles.ts';
import { useRead } from '#web/data/read.ts';
import { type SchemaField, schemaGroups } from './schema-fields.ts';
import { settingText } from './setting-text.ts';

/** Labels of the settings of a strategy, and their values as text. */
export interface Labels {
  readonly labelOf: (path: string) => string;
  readonly wordsOf: (path: string, value: unknown) => string;
}

/** Labels by dotted path; the path itself where the strategy has no label. */
export function useLabels(strategyName: string, config: unknown): Labels {
  const { data } = useRead(listStrategies, {});
  const schema = data?.strategies.find(({ name }) => name === strategyName)?.schema;
  const groups = schemaGroups(schema, config);
  const fields = new Map<string, SchemaField>(
    groups.flatMap((group) => group.fields).map((field) => [field.path, field] as const),
  );
  const lists = new Map(groups.map(({ list, title }) => [list?.path, title]));
  return {
    labelOf: (path) => fields.get(path)?.label ?? lists.get(path) ?? path,
    wordsOf: (path, value) => {
      const field = fields.get(path);
      if (field !== undefined) return settingText(field, value);
      if (Array.isArray(value)) return String(value.length);
      return value === undefined || value === null
        ? 'not set'
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
    },
  };
}
