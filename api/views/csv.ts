/** First characters of a cell that a spreadsheet reads as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const NUMBER = /^-\d+(\.\d+)?$/;

/** One quoted cell. Text that a spreadsheet would run gets an apostrophe prefix; a negative number does not. */
const cell = (value: string): string =>
  `"${(FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;

/** One line of CSV (RFC 4180), line end included. */
export const csvLine = (values: readonly string[]): string => `${values.map(cell).join(',')}\r\n`;
