import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#test/harness/source-files.ts';
import { gzipSync } from 'node:zlib';
import { candleHistory, HISTORY_FOLDER, readHistory } from './candle-history.ts';
import { DOCUMENTS } from './documents.ts';

for (const [path, make] of Object.entries(DOCUMENTS)) writeFileSync(join(ROOT, path), make());
// Compressed bytes differ between versions of Node: a file is written only when its text has changed.
for (const [name, text] of candleHistory())
  if (readHistory(name) !== text) writeFileSync(join(HISTORY_FOLDER, name), gzipSync(text, { level: 9 }));
