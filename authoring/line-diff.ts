/** A line of a comparison; `line` is its number in the text that has it, the new one when both have it. */
interface DiffLine {
  readonly kind: 'same' | 'added' | 'gone';
  readonly line: number;
  readonly text: string;
}

/** Lengths of the longest common subsequence of the ends of two lists, by start. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const [row, below] = [rows[i], rows[i + 1]];
      if (row === undefined || below === undefined) continue;
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return rows;
}

/** The lines of two texts in one list: those of both, added ones, and those that are gone. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, next] = [before.split('\n'), after.split('\n')];
  const lengths = commonLengths(old, next);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ kind: 'same', line: j + 1, text: next[j] ?? '' });
      i += 1;
      j += 1;
    } else if (j >= next.length || (i < old.length && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      lines.push({ kind: 'gone', line: i + 1, text: old[i] ?? '' });
      i += 1;
    } else {
      lines.push({ kind: 'added', line: j + 1, text: next[j] ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** The changed lines with so many unchanged ones around them. */
export function changedLines(lines: readonly DiffLine[], around = 2): DiffLine[] {
  return lines.filter((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== 'same'),
  );
}
