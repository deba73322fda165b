import { createHmac, createPrivateKey, createSecretKey, type KeyObject, sign } from 'node:crypto';

type Param = string | number | undefined;
export type Params = Readonly<Record<string, Param>>;

/** A key or secret that cannot sign; the message never quotes either. */
export class KeyFormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'KeyFormatError';
  }
}

/** A query as it must be sent, byte for byte, and the secrets that must never appear in an error or a log. */
interface SignedQuery {
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** Signs for one API key. Key and secret are in its closure: printing a signer shows neither. */
export interface Signer {
  readonly kind: 'hmac' | 'rsa' | 'ed25519';
  /** REST: `params` percent-encoded, then signed, then the signature added. */
  signQuery(params: Params): SignedQuery;
  /** WebSocket API: `params` with apiKey and signature added. */
  signMessage(params: Params): Readonly<Record<string, string | number>>;
  /** `text` with every occurrence of key and secret replaced. */
  redact(text: string): string;
}

/** HMAC-SHA256 in hex, the signature of keys with a plain secret. */
export const signHmac = (payload: string, secret: string | KeyObject): string =>
  createHmac('sha256', secret).update(payload, 'utf8').digest('hex');

/** Base64 signature of a private key: RSASSA-PKCS1-v1_5 with SHA-256, or Ed25519. */
const signWithKey = (payload: string, key: KeyObject): string =>
  sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', Buffer.from(payload, 'utf8'), key).toString('base64');

const present = (params: Params): [string, string | number][] =>
  Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));

const NEEDS_NO_ENCODING = /^[\w.-]*$/;

/** `a=1&b=2` with percent-encoded values, in the order given; undefined values are left out. */
export function encodeQuery(params: Params): string {
  // A loop for speed: it runs between a price and its order.
  let query = '';
  for (const name of Object.keys(params)) {
    const value = params[name];
    if (value === undefined) continue;
    const isPlain = typeof value === 'number' || NEEDS_NO_ENCODING.test(value);
    query += `${query === '' ? '' : '&'}${name}=${isPlain ? value : encodeURIComponent(value)}`;
  }
  return query;
}

/** The signed payload of the WebSocket API: names in alphabetical order, values raw. */
const messagePayload = (params: Params): string =>
  present(params)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** `text` with every occurrence of each secret, raw or percent-encoded, replaced. */
export const redact = (text: string, secrets: readonly string[]): string =>
  secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .reduce((clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '[redacted]')), text);

/**
 * A signer for an API key. `secret` is the plain secret of an HMAC key, or the PEM text (PKCS#8) of an RSA or Ed25519
 * private key. Throws KeyFormatError when either cannot be used.
 */
export function createSigner(credentials: { readonly apiKey: string; readonly secret: string }): Signer {
  const apiKey = credentials.apiKey.trim();
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new KeyFormatError('The API key is empty or contains invalid characters: paste it again.');
  }
  const { kind, signText } = algorithmOf(credentials.secret.trim());
  const own = [apiKey, credentials.secret.trim()];
  return {
    kind,
    signQuery(params) {
      const payload = encodeQuery(params);
      const signature = signText(payload);
      return {
        query: `${payload}&signature=${encodeURIComponent(signature)}`,
        headers: { 'x-mbx-apikey': apiKey },
        secrets: [...own, signature],
      };
    },
    signMessage(params) {
      const all = { ...params, apiKey };
      return { ...Object.fromEntries(present(all)), signature: signText(messagePayload(all)) };
    },
    redact: (text) => redact(text, own),
  };
}

function algorithmOf(secret: string): { kind: Signer['kind']; signText: (payload: string) => string } {
  if (secret === '') throw new KeyFormatError('The API secret is empty: paste it again.');
  if (!secret.includes('PRIVATE KEY')) {
    const key = createSecretKey(secret, 'utf8');
    return { kind: 'hmac', signText: (payload) => signHmac(payload, key) };
  }
  const key = readPrivateKey(secret);
  const kind = key?.asymmetricKeyType;
  if (key === undefined || (kind !== 'rsa' && kind !== 'ed25519')) {
    throw new KeyFormatError('The API secret is not a readable RSA or Ed25519 private key in PEM form (PKCS#8).');
  }
  return { kind, signText: (payload) => signWithKey(payload, key) };
}

/** OpenSSL quotes nothing of the key; its error is dropped as a precaution. */
function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    return undefined;
  }
}
