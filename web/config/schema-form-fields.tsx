import type { ReactNode } from 'react';
import { valueAt } from '#core/config-path.ts';
import { ConfigLeaf } from './config-leaf.tsx';
import { schemaGroups } from './schema-fields.ts';

interface FieldsProps {
  schema: unknown;
  values: unknown;
  quote: string | undefined;
  errorOf: (path: string) => string | undefined;
  onChange: (path: string, value: unknown) => void;
}

/** The settings of a schema as part of a larger form. */
export const SchemaFormFields = ({ schema, values, quote, errorOf, onChange }: FieldsProps): ReactNode =>
  schemaGroups(schema, values)
    .flatMap(({ fields }) => fields)
    .map((field) => (
      <ConfigLeaf
        key={field.path}
        field={field}
        quote={quote}
        value={valueAt(values, field.path)}
        error={errorOf(field.path)}
        onChange={(value) => onChange(field.path, value)}
      />
    ));
