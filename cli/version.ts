import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readGitSha } from '#integrations/git-sha.ts';
import type { CommandContext } from './command.ts';

const manifest = z.object({ version: z.string() });

/** Version of the package in the checkout. */
export function readVersion(root: string): string {
  return manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).version;
}

export function runVersion({ root, environment }: CommandContext): number {
  const sha = environment['GIT_SHA'] || readGitSha(root);
  console.log(
    `tradewind ${readVersion(root)}${sha === undefined ? '' : ` (${sha.slice(0, 12)})`}, Node ${process.versions.node}`,
  );
  return 0;
}
