import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificate, certificateSchema } from '#authoring/certificate.ts';
import { readJson } from '#core/json.ts';
import type { StrategyFile } from '#strategies/strategy.ts';

/** Certificates, by hash, next to the files: the worker stores them with the versions. */
const CERTIFICATES = '.certificates';

const isStrategy = (name: string): boolean => name.endsWith('.ts') && !name.endsWith('.d.ts');

/** The strategy files of a data folder, by name; undefined without the folder. One that cannot be read is left out. */
export function readStrategyFolder(folder: string): StrategyFile[] | undefined {
  return textsIn(folder, isStrategy);
}

function textsIn(folder: string, isWanted: (name: string) => boolean): StrategyFile[] | undefined {
  try {
    return readdirSync(folder)
      .filter(isWanted)
      .toSorted()
      .flatMap((name) => textOf(folder, name));
  } catch {
    return undefined;
  }
}

function textOf(folder: string, name: string): StrategyFile[] {
  try {
    return [{ name, text: readFileSync(join(folder, name), 'utf8') }];
  } catch {
    return [];
  }
}

export function writeCertificate(folder: string, certificate: Certificate): void {
  mkdirSync(join(folder, CERTIFICATES), { recursive: true });
  writeFileSync(join(folder, CERTIFICATES, `${certificate.hash}.json`), `${JSON.stringify(certificate, null, 2)}\n`);
}

/** Every readable certificate of the folder. */
export function readCertificates(folder: string): Certificate[] {
  return (textsIn(join(folder, CERTIFICATES), () => true) ?? []).flatMap(({ text }) => {
    const parsed = certificateSchema.safeParse(readJson(text));
    return parsed.success ? [parsed.data] : [];
  });
}
