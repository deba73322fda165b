import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificate, certificateSchema } from '#authoring/certificate.ts';
import type { StrategyFile } from '#strategies/strategy.ts';

/** Certificates, by hash, next to the files: the worker stores them with the versions. */
const CERTIFICATES = '.certificates';

const isStrategy = (name: string): boolean => name.endsWith('.ts') && !name.endsWith('.d.ts');

/** The strategy files of a data folder, by name; undefined without the folder. */
export function readStrategyFolder(folder: string): StrategyFile[] | undefined {
  try {
    const names = readdirSync(folder).filter(isStrategy).toSorted();
    return names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  } catch {
    return undefined;
  }
}

export function writeCertificate(folder: string, certificate: Certificate): void {
  mkdirSync(join(folder, CERTIFICATES), { recursive: true });
  writeFileSync(join(folder, CERTIFICATES, `${certificate.hash}.json`), `${JSON.stringify(certificate, null, 2)}\n`);
}

/** Every readable certificate of the folder. */
export function readCertificates(folder: string): Certificate[] {
  try {
    return readdirSync(join(folder, CERTIFICATES)).flatMap((name) => {
      const parsed = certificateSchema.safeParse(JSON.parse(readFileSync(join(folder, CERTIFICATES, name), 'utf8')));
      return parsed.success ? [parsed.data] : [];
    });
  } catch {
    return [];
  }
}
