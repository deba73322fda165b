import type { ColumnType } from 'kysely';

/* Row types of the migrations, as the driver returns them: numeric and bigint as text, timestamptz as Date. */

/** Written as JSON text (storage/postgres/json.ts), because the driver turns a bare array into a PostgreSQL array. */
export type Json = ColumnType<unknown, string, string>;

export type JsonOrDefault = ColumnType<unknown, string | undefined, string>;

export type NullableJson = ColumnType<unknown, string | null | undefined, string | null>;

export type Bigint = ColumnType<string, string | number | bigint, string | number | bigint>;

export type BigintOrDefault = ColumnType<string, string | number | bigint | undefined, string | number | bigint>;

export type NullableBigint = ColumnType<
  string | null,
  string | number | bigint | null | undefined,
  string | number | bigint | null
>;

export type Time = ColumnType<Date, Date | string, Date | string>;

export type TimeOrDefault = ColumnType<Date, Date | string | undefined, Date | string>;

export type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
