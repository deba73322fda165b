import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#test/harness/source-files.ts';
import { DOCUMENTS } from './documents.ts';

for (const [path, make] of Object.entries(DOCUMENTS)) writeFileSync(join(ROOT, path), make());
