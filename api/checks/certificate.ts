import { isCertified } from '#authoring/certificate.ts';
import { readReference } from '#authoring/own-strategy.ts';
import type { Account } from '#core/account/account.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { readVersion } from '#storage/operator/strategy-versions.ts';
import { ApiProblem } from '#api/frame/problem.ts';

interface Enabling {
  readonly strategyName: string;
  readonly enabled: boolean;
  readonly account: Pick<Account, 'exchangeMode'>;
}

/** A live account runs a strategy file only with a certificate of the present check. */
export async function requireCertificate(reader: Reader, { strategyName, enabled, account }: Enabling): Promise<void> {
  const { name, hash } = readReference(strategyName);
  if (hash === null || !enabled || account.exchangeMode !== 'live') return;
  const version = await readVersion(reader, hash);
  if (isCertified(version?.certificate, hash)) return;
  throw new ApiProblem(
    'conflict',
    `This version of ${name} has no certificate, and the account trades real money. Run "tradewind strategy check ${name}" on the host of the service first.`,
  );
}
