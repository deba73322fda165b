import { csvLine } from './csv.ts';
import type { Mask } from '#api/guard/visitor-mask.ts';

const EXPORT_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

type Cell = string | number | boolean | null;
/** A row of a file: plain cells and instants; anything else becomes JSON text. */
type Row = Readonly<Record<string, unknown>>;

const isCell = (value: unknown): value is Cell => value === null || typeof value !== 'object';
const cellText = (value: unknown, mask: Mask): string => {
  if (value instanceof Date) return value.toISOString();
  return isCell(value) ? String(value ?? '') : JSON.stringify(value, mask);
};

/** Streams text. An error closes the connection, so that a cut file never looks complete. */
function streamOf(first: string, rest: AsyncIterator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    async pull(controller) {
      const next = await rest.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => void (await rest.return?.()),
  });
}

interface ExportedRows {
  readonly pages: AsyncIterable<readonly Row[]>;
  /** Columns of the CSV, in order; NDJSON holds the same fields. */
  readonly columns: readonly string[];
  readonly format: keyof typeof EXPORT_TYPES;
  /** File name without its ending. */
  readonly name: string;
  /** The mask of the request. */
  readonly mask: Mask;
}

async function* textPages({ pages, columns, format, mask }: ExportedRows): AsyncGenerator<string, void> {
  const shown = (row: Row, name: string): unknown => (mask === undefined ? row[name] : mask(name, row[name]));
  const line = (row: Row): string =>
    format === 'csv'
      ? csvLine(columns.map((name) => cellText(shown(row, name), mask)))
      : `${JSON.stringify(row, mask)}\n`;
  for await (const rows of pages) yield rows.map(line).join('');
}

/** Rows as a file, streamed; the first page is read before the answer starts, so that its errors become problem details. */
export async function exportRows(exported: ExportedRows): Promise<Response> {
  const { columns, format, name } = exported;
  const pages = textPages(exported);
  const first = await pages.next();
  const head = format === 'csv' ? csvLine(columns) : '';
  return new Response(streamOf(`${head}${first.done === true ? '' : first.value}`, pages), {
    headers: {
      'content-type': EXPORT_TYPES[format],
      'content-disposition': `attachment; filename="${name}.${format}"`,
    },
  });
}

/** Rows as they appear in the file. */
export async function* viewed<In, Out>(pages: AsyncIterable<readonly In[]>, view: (row: In) => Out) {
  for await (const rows of pages) yield rows.map(view);
}
