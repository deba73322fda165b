import { TOKEN_SCOPES, type TokenScope } from '#core/installation/token-scopes.ts';
import { createToken, listTokens, revokeToken } from '#api/contract/tokens.ts';
import { ClientProblem } from '#api/script-client.ts';
import { accountOf, type Flags, named, type Remote, requireFlag, table } from './remote.ts';

const isScope = (text: string): text is TokenScope => TOKEN_SCOPES.some((scope) => scope === text);

function scopesOf(text: string): TokenScope[] {
  const scopes = text.split(',').map((name) => name.trim());
  const unknown = scopes.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw new ClientProblem(`There is no scope "${unknown}"; there are: ${TOKEN_SCOPES.join(', ')}.`);
  return scopes.filter(isScope);
}

function daysOf(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new ClientProblem('--days must be a whole number from 1 to 366.');
}

/** The budget of approved proposals: all three flags, or none. */
function budgetOf(flags: Flags) {
  const [asset, perOrder, perDay] = ['asset', 'per-order', 'per-day'].map((name) => flags.get(name));
  if (asset === undefined && perOrder === undefined && perDay === undefined) return {};
  if (asset === undefined || perOrder === undefined || perDay === undefined)
    throw new ClientProblem('A budget needs --asset, --per-order and --per-day.');
  return { budget: { asset, perOrder, perDay } };
}

export const TOKEN = {
  create: {
    flags: {
      name: 'text',
      scope: 'text',
      account: 'text',
      days: 'text',
      asset: 'text',
      'per-order': 'text',
      'per-day': 'text',
    },
    signsIn: true,
    async run(link, flags) {
      const name = requireFlag(flags, 'name', 'a name for the token');
      const { account, days, scope = 'read' } = Object.fromEntries(flags);
      const body = {
        name,
        scopes: scopesOf(scope),
        ...budgetOf(flags),
        ...(days === undefined ? {} : { days: daysOf(days) }),
        ...(account === undefined ? {} : { accountIds: [(await accountOf(link, account)).id] }),
      };
      const answer = await link.call(createToken, { body });
      return { answer, lines: [answer.token, `It is shown only now, and valid until ${answer.expiresAt}.`] };
    },
  },
  list: {
    flags: {},
    signsIn: true,
    async run(link) {
      const answer = await link.call(listTokens, {});
      const rows = answer.tokens.map(({ name, scopes, hint, expiresAt, lastUsedAt, revokedAt, id }) => [
        ...[name, scopes.join(','), `…${hint}`, expiresAt, lastUsedAt ?? 'never', revokedAt ?? '-', id],
      ]);
      return {
        answer,
        lines: table([['NAME', 'SCOPES', 'ENDS WITH', 'EXPIRES', 'LAST USED', 'REVOKED', 'ID'], ...rows]),
      };
    },
  },
  revoke: {
    flags: { name: 'text' },
    signsIn: true,
    async run(link, flags) {
      const wanted = requireFlag(flags, 'name', 'the name or the id of the token');
      const usable = (await link.call(listTokens, {})).tokens.filter(({ revokedAt }) => revokedAt === null);
      const { id, name } = named(usable, wanted, 'token');
      await link.call(revokeToken, { params: { id } });
      return { answer: { id }, lines: [`Revoked: ${name}.`] };
    },
  },
} satisfies Record<string, Remote>;
