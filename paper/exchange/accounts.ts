import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Decimal, fromNumber, readDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { rateText } from './rate-text.ts';

/** An account of the paper exchange with its one API key. The control plane changes the permissions of the key. */
export interface Account {
  readonly name: string;
  readonly apiKey: string;
  readonly key:
    | { readonly kind: 'hmac'; readonly secret: string }
    | { readonly kind: 'ed25519' | 'rsa'; readonly publicKey: KeyObject };
  permissions: readonly string[];
  canWithdraw: boolean;
  /** Empty allows every address. */
  ipAllowList: readonly string[];
  /** True once the exchange no longer accepts the key. */
  revoked: boolean;
  readonly openingBalances: ReadonlyMap<string, Decimal>;
  /** Basis points, fractions allowed. */
  readonly makerBps: number;
  readonly takerBps: number;
  readonly makerRate: Decimal;
  readonly takerRate: Decimal;
  /** The largest amount of an asset that one order may move. */
  readonly assetLimits: ReadonlyMap<string, Decimal>;
  /** False once the account may neither place nor cancel orders. */
  canTrade: boolean;
  /** Coins that the account may not trade. */
  restrictedSymbols: readonly string[];
  /**
   * True if commissions are paid in BNB at a discount while the BNB balance lasts. The discount is a share: 0.25 is 25
   * % off.
   */
  readonly feesInBnb: boolean;
  readonly bnbDiscount: Decimal;
}

/** A decimal of zero or more, as text or as a number. */
export const amount = z.union([z.string(), z.number()]).transform((raw, context) => {
  const value = readDecimal(String(raw));
  if (value !== undefined && value >= 0n) return value;
  context.addIssue({ code: 'custom', message: `"${raw}" is not a decimal amount of zero or more` });
  return z.NEVER;
});
const amounts = z.record(z.string().regex(/^[A-Z0-9]+$/, 'must be an asset such as USDT'), amount).default({});
const bps = z.number().min(0).max(1000);
const account = z
  .strictObject({
    name: z.string().regex(/^[^#|]+$/, 'must not be empty or hold "#" or "|"'),
    apiKey: z.string().min(1, 'must not be empty'),
    secret: z.string().min(1).optional(),
    publicKeyPem: z.string().min(1).optional(),
    permissions: z.array(z.string()).default(['SPOT', 'READ']),
    canWithdraw: z.boolean().default(false),
    ipAllowList: z.array(z.string()).default([]),
    balances: amounts,
    makerBps: bps.default(10),
    takerBps: bps.default(10),
    assetLimits: amounts,
    feesInBnb: z.boolean().default(false),
    bnbDiscount: z.number().min(0).max(1).default(0.25),
  })
  .refine(
    (row) => (row.secret === undefined) !== (row.publicKeyPem === undefined),
    'needs either secret or publicKeyPem',
  );

export type AccountInput = z.input<typeof account>;

/** Reads the accounts file. Throws BadInputError with the file and the problem. */
export function readAccountsFile(path: string): Account[] {
  let raw: unknown;
  try {
    raw = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new BadInputError(`The accounts file ${path} cannot be read as JSON: ${cause}.`);
  }
  return parseAccounts(raw, `The accounts file ${path}`);
}

/** Parses accounts. `subject` is the first words of the BadInputError. */
export function parseAccounts(raw: unknown, subject = 'The list of accounts'): Account[] {
  const parsed = z.array(account).min(1, 'must hold at least one account').safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
    throw new BadInputError(`${subject} is broken${place}: ${issue?.message ?? 'unreadable'}.`);
  }
  const accounts = parsed.data.map((row) => toAccount(row, subject));
  for (const field of ['name', 'apiKey'] as const) {
    const repeated = accounts.find(
      (row, index) => accounts.findIndex((other) => other[field] === row[field]) !== index,
    );
    if (repeated !== undefined)
      throw new BadInputError(
        `${subject} is broken: two accounts have the same ${field} (account "${repeated.name}").`,
      );
  }
  return accounts;
}

function toAccount(row: z.output<typeof account>, subject: string): Account {
  return {
    name: row.name,
    apiKey: row.apiKey,
    key:
      row.publicKeyPem === undefined
        ? { kind: 'hmac', secret: row.secret ?? '' }
        : publicKeyOf(row.name, row.publicKeyPem, subject),
    permissions: row.permissions,
    canWithdraw: row.canWithdraw,
    ipAllowList: row.ipAllowList,
    revoked: false,
    openingBalances: new Map(Object.entries(row.balances)),
    makerBps: row.makerBps,
    takerBps: row.takerBps,
    makerRate: requireDecimal(rateText(row.makerBps)),
    takerRate: requireDecimal(rateText(row.takerBps)),
    assetLimits: new Map(Object.entries(row.assetLimits)),
    canTrade: true,
    restrictedSymbols: [],
    feesInBnb: row.feesInBnb,
    bnbDiscount: fromNumber(row.bnbDiscount),
  };
}

function publicKeyOf(name: string, pem: string, subject: string): Account['key'] {
  const publicKey = readPem(pem);
  const kind = publicKey?.asymmetricKeyType;
  if (publicKey === undefined || (kind !== 'ed25519' && kind !== 'rsa')) {
    throw new BadInputError(
      `${subject} is broken: publicKeyPem of account "${name}" is no Ed25519 or RSA public key in PEM form.`,
    );
  }
  return { kind, publicKey };
}

function readPem(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
