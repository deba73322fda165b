// Prints each label of labels.tsv with the files that use it, and the note of each that no file uses.
import { readCode, readLabels, usesOf } from './labels.ts';

const MOST = 4;
const files = readCode();
for (const { page, former, present, note } of readLabels()) {
  for (const label of present) {
    const uses = usesOf(label, files) ?? [];
    const more = uses.length > MOST ? ` and ${uses.length - MOST} more` : '';
    console.log(`${page}: ${label}: ${uses.slice(0, MOST).join(', ')}${more}`);
  }
  if (present.length === 0) console.log(`${page}: ${former.join(' / ')}: ${note}`);
}
