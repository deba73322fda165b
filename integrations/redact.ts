const MASK = '***';
const SHOWN = 200;
/** Characters that are read for the short text that is shown. */
const READ = 4000;
/** A shorter part of an address, such as `api`, is no secret and may be a word of the answer. */
const SHORTEST_PART = 8;
const SHORTEST_VALUE = 4;
/** This many consecutive characters of a secret are a leak, such as a path that the other side cut. */
const LEAK = 12;
/** Maximum depth of nested encodings, such as percent inside JSON. */
const MAX_ROUNDS = 4;

/** Secret parts of an address: everything after its host. Undefined for other texts. */
function addressParts(secret: string): string[] | undefined {
  if (!URL.canParse(secret) || !/^https?:/i.test(secret)) return undefined;
  const { pathname, search, searchParams, username, password } = new URL(secret);
  const segments = pathname.split('/').filter((part) => part.length >= SHORTEST_PART);
  const values = [...searchParams.values(), username, password].filter((part) => part.length >= SHORTEST_VALUE);
  return [`${pathname}${search}`, pathname, search, ...segments, ...values].filter((part) => part.length > 1);
}

/** Every text of a secret, longest first, as it is and percent-decoded. */
function partsOf(secrets: readonly string[]): string[] {
  const parts = secrets.flatMap((secret) => [secret, ...(addressParts(secret) ?? [])]);
  const decoded = [...parts, ...parts.map(withoutPercent)].filter((part) => part !== '');
  return [...new Set(decoded)].toSorted((a, b) => b.length - a.length);
}

/** Encodings of a part by other programs: URL, JSON, HTML, base64 and hexadecimal. */
function writtenForms(part: string): string[] {
  const json = JSON.stringify(part).slice(1, -1);
  const html = part.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const named = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  const bytes = Buffer.from(part);
  const packed = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')];
  const forms = [part, encodeURIComponent(part.toWellFormed()), encodeURI(part.toWellFormed()), json, html, named];
  return [...forms, JSON.stringify(json).slice(1, -1), json.replaceAll('/', '\\/'), ...packed];
}

function withoutPercent(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
    return bytes.toString('utf8');
  });
}

const character = (digits: string | undefined, base: number): string => {
  const code = Number.parseInt(digits ?? '', base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
};
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Removes one layer of URL, JSON and HTML encoding. */
const withoutEscapes = (text: string): string =>
  withoutPercent(text)
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_all, digits: string) => character(digits, 16))
    .replaceAll(/\\x([0-9a-f]{2})/gi, (_all, digits: string) => character(digits, 16))
    .replaceAll(/\\([\\/"'])/g, '$1')
    .replaceAll(/&#(\d{1,7});/g, (_all, digits: string) => character(digits, 10))
    .replaceAll(/&#x([0-9a-f]{1,6});/gi, (_all, digits: string) => character(digits, 16))
    .replaceAll(/&(amp|lt|gt|quot|apos);/g, (_all, name: string) => NAMED[name] ?? '');

/** Decoded base64 and hexadecimal parts, also over several lines. */
function unpacked(text: string): string[] {
  const joined = text.replaceAll(/\s+/g, '');
  return [text, joined].flatMap((form) => [
    ...Array.from(form.matchAll(/[\w+/-]{12,}/g), ([run]) => Buffer.from(run, 'base64').toString('utf8')),
    ...Array.from(form.matchAll(/[0-9a-f]{16,}/gi), ([run]) => Buffer.from(run, 'hex').toString('utf8')),
  ]);
}

/** True when the text contains a long part of a secret in any encoding. */
function repeats(text: string, secrets: readonly string[]): boolean {
  const runs = secrets
    .flatMap((secret) => addressParts(secret)?.slice(0, 1) ?? [secret])
    .flatMap((part) => [part, withoutPercent(part)])
    .flatMap((part) =>
      Array.from({ length: Math.max(0, part.length - LEAK + 1) }, (_, at) => part.slice(at, at + LEAK).toLowerCase()),
    );
  let layer = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const texts = [layer, ...unpacked(layer)].map((form) => form.toLowerCase());
    if (runs.some((run) => texts.some((form) => form.includes(run)))) return true;
    layer = withoutEscapes(layer);
  }
  return false;
}

/** Text of the other side without our secrets, in the common encodings. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(partsOf(secrets).flatMap(writtenForms))].filter((form) => form !== '');
  if (forms.length === 0) return text;
  const pattern = forms
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[^\w\s]/g, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`))
    .join('|');
  return text.toWellFormed().replaceAll(new RegExp(pattern, 'giu'), MASK);
}

/** Like withoutSecrets, but short and on one line for a sentence. Empty when a secret remains in another encoding. */
export function shownText(text: string, secrets: readonly string[]): string {
  const clean = withoutSecrets(text.slice(0, READ).toWellFormed(), secrets);
  if (repeats(clean, secrets)) return '';
  return clean
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, SHOWN);
}
