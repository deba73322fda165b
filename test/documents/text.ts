/** The second line of a document that is made from the code. */
export const BY_HAND = 'Made from the code by `npm run documents`; change it there.';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A row of a table. */
export const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
