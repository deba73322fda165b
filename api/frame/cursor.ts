import { z } from 'zod';
import type { Page, PageCursor } from '#storage/postgres/pages.ts';
import { invalidField } from './problem.ts';

const place = z.tuple([z.string().regex(/^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/), z.string().max(100)]);

const cursorText = ({ at, id }: PageCursor): string => Buffer.from(JSON.stringify([at, id])).toString('base64url');

/** Decodes a cursor into the position where the previous page ended. */
export function readCursor(text: string | undefined): PageCursor | undefined {
  if (text === undefined) return undefined;
  try {
    const [at, id] = place.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { at, id };
  } catch {
    throw invalidField('cursor', 'is not a cursor of an earlier page');
  }
}

/** A page as the contract shows it. */
export const pageView = <Row, View>({ rows, next }: Page<Row>, view: (row: Row) => View) => ({
  rows: rows.map(view),
  nextCursor: next === null ? null : cursorText(next),
});
