import { homedir } from 'node:os';
import { setAccountKillSwitch, setKillSwitch, setProfileKillSwitch } from '#api/contract/halts.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { listLogs } from '#api/contract/records.ts';
import { status } from '#api/contract/session.ts';
import { type Client, ClientProblem } from '#api/script-client.ts';
import type { CommandContext } from '#cli/command.ts';
import { type FlagKinds, parseFlags } from '#cli/flags.ts';
import { print, oneLine } from '#cli/print.ts';
import { followLogs, type LogRow } from './follow.ts';
import { openLink } from './link.ts';
import { accountOf, type Flags, profileOf, type Remote, table, type CommandOutput } from './remote.ts';
import { PROPOSAL } from './proposal.ts';
import { INLET, SIGNALS } from './signal.ts';
import { TOKEN } from './token.ts';
import { WHY } from './why.ts';

const SCOPE: FlagKinds = { account: 'text', profile: 'text' };

async function setSwitch(link: Client, flags: Flags, engaged: boolean): Promise<CommandOutput> {
  const [account, profile, reason] = ['account', 'profile', 'reason'].map((name) => flags.get(name));
  if (account !== undefined && profile !== undefined) throw new ClientProblem('Give --account or --profile, not both.');
  const wishes = engaged ? { freeze: flags.has('freeze'), cancelEntryOrders: flags.has('cancel-entries') } : {};
  const body = { engaged, ...wishes, ...(reason === undefined ? {} : { reason }) };
  const set = async () => {
    if (profile !== undefined) {
      const { id, name } = await profileOf(link, profile);
      return { where: `profile ${name}`, answer: await link.call(setProfileKillSwitch, { params: { id }, body }) };
    }
    if (account === undefined) return { where: 'everything', answer: await link.call(setKillSwitch, { body }) };
    const { id, name } = await accountOf(link, account);
    return { where: `account ${name}`, answer: await link.call(setAccountKillSwitch, { params: { id }, body }) };
  };
  const { where, answer } = await set();
  const frozen = answer.freeze ? '; exits are stopped too' : '; exits continue';
  const line = answer.engaged ? `Halted: ${where} buys nothing since ${answer.since}${frozen}.` : `Released: ${where}.`;
  return { answer, lines: [line] };
}

const lineOf = ({ lastAt, level, symbol, msg, count }: LogRow): string =>
  [lastAt, level.padEnd(5), symbol ?? '-', count > 1 ? `${msg} (${count} times)` : msg].join('  ');

async function* rowsAsText(rows: AsyncIterable<LogRow>, json: boolean): AsyncGenerator<string> {
  for await (const row of rows) yield json ? JSON.stringify(row) : lineOf(row);
}

const REMOTE = {
  status: {
    flags: {},
    async run(link) {
      const answer = await link.call(status, {});
      const { api, worker, db } = answer;
      const of = (name: string, one: typeof worker): string[] =>
        one === null ? [name, 'not running', ''] : [name, one.sha, `since ${one.bootedAt}`];
      return {
        answer,
        lines: table([of('api', api), of('worker', worker), ['database', 'migrated', db.latestMigrationAppliedAt]]),
      };
    },
  },
  profiles: {
    flags: {},
    async run(link) {
      const answer = await link.call(listProfiles, {});
      const rows = answer.profiles.map(({ id, name, strategyName, enabled, symbols }) => [
        ...[name, enabled ? 'enabled' : 'disabled', strategyName, symbols.join(',') || '-', id],
      ]);
      return { answer, lines: table([['NAME', 'STATE', 'STRATEGY', 'COINS', 'ID'], ...rows]) };
    },
  },
  halt: {
    flags: { ...SCOPE, reason: 'text', freeze: 'switch', 'cancel-entries': 'switch' },
    run: (link, flags) => setSwitch(link, flags, true),
  },
  resume: { flags: { ...SCOPE, reason: 'text' }, run: (link, flags) => setSwitch(link, flags, false) },
  logs: {
    flags: { profile: 'text', level: 'text', symbol: 'text', text: 'text', limit: 'text', follow: 'switch' },
    async run(link, flags) {
      const wanted = flags.get('profile');
      if (wanted === undefined) throw new ClientProblem('Set the profile: --profile NAME.');
      const { id } = await profileOf(link, wanted);
      const { level, symbol, text: q, limit = '50' } = Object.fromEntries(flags);
      const query = Object.fromEntries(
        Object.entries({ level, symbol, q }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      );
      const answer = await link.call(listLogs, { params: { id }, query: { ...query, limit } });
      const shown = answer.rows.toReversed();
      const page = { answer, lines: shown.map(lineOf) };
      if (!flags.has('follow')) return page;
      const later = followLogs(link, { id, query, shown, onSilence: (sentence) => console.error(sentence) });
      return { ...page, later: rowsAsText(later, flags.has('json')) };
    },
  },
  why: WHY,
  signals: SIGNALS,
  'inlet create': INLET.create,
  'inlet list': INLET.list,
  'inlet replace': INLET.replace,
  'inlet delete': INLET.delete,
  'token create': TOKEN.create,
  'token list': TOKEN.list,
  'token revoke': TOKEN.revoke,
  'proposal list': PROPOSAL.list,
  'proposal approve': PROPOSAL.approve,
  'proposal deny': PROPOSAL.deny,
  'proposal cancel': PROPOSAL.cancel,
} satisfies Record<string, Remote>;

type RemoteName = keyof typeof REMOTE;
const isRemote = (name: string): name is RemoteName => Object.hasOwn(REMOTE, name);

/** Commands that call a running api. */
export async function runRemote(
  name: string,
  argv: readonly string[],
  { environment }: CommandContext,
): Promise<number> {
  if (!isRemote(name)) {
    console.error(`There is no command "${name}"; see "tradewind help".`);
    return 2;
  }
  const remote: Remote = REMOTE[name];
  const flags = parseFlags(name, argv, { ...remote.flags, url: 'text', json: 'switch' });
  if (flags.kind === 'problem') {
    console.error(flags.sentence);
    return 2;
  }
  const url =
    flags.values.get('url') ?? environment['TRADEWIND_URL'] ?? `http://127.0.0.1:${environment['PORT'] ?? 8080}`;
  const { TRADEWIND_EMAIL: email, TRADEWIND_PASSWORD: password } = environment;
  const token = remote.signsIn === true ? undefined : environment['TRADEWIND_TOKEN'];
  const home = environment['HOME'] ?? homedir();
  const link = openLink({ url: url.replace(/\/+$/, ''), home, email, password, token });
  try {
    const { answer, lines, later } = await remote.run(link, flags.values);
    await print(flags.values.has('json') ? JSON.stringify(answer, null, 2) : lines.map(oneLine).join('\n'));
    for await (const line of later ?? []) await print(oneLine(line));
    return 0;
  } catch (error) {
    if (!(error instanceof ClientProblem)) throw error;
    console.error(error.message);
    return 1;
  }
}
