/** Rows that contain every typed word; rows that start with the text come first, otherwise the order stays. */
export function matchesOf<Row extends { readonly words: string; readonly note: string }>(
  rows: readonly Row[],
  text: string,
): Row[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [...rows];
  const parts = wanted.split(/\s+/);
  const found = rows.filter(({ words, note }) =>
    parts.every((part) => `${words} ${note}`.toLowerCase().includes(part)),
  );
  const rank = ({ words }: Row): number => (words.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b));
}
