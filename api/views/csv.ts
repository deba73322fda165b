/** What a spreadsheet would take for a formula at the beginning of a cell. */
const FORMULA = /^[=+\-@\t\r]/;

const NUMBER = /^-\d+(\.\d+)?$/;

/** One cell: always quoted, and text that a spreadsheet would run gets an apostrophe in front; a loss is a number. */
const cell = (value: string): string =>
  `"${(FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;

/** One line of CSV (RFC 4180), line end included. */
export const csvLine = (values: readonly string[]): string => `${values.map(cell).join(',')}\r\n`;
