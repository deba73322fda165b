import { createInlet, deleteInlet, listInlets, listSignals, replaceInletSecret } from '#api/contract/signals.ts';
import { type Client, ClientProblem } from '#api/script-client.ts';
import { type Flags, named, profileOf, type Remote, requireFlag, table } from './remote.ts';

const profileIn = (link: Client, flags: Flags) => profileOf(link, requireFlag(flags, 'profile', 'the profile'));

async function inletIn(link: Client, flags: Flags) {
  const { id } = await profileIn(link, flags);
  const wanted = requireFlag(flags, 'name', 'the name or the id of the inlet');
  const { inlets } = await link.call(listInlets, { params: { id } });
  const { id: inlet, name } = named(inlets, wanted, 'inlet');
  return { params: { id, inlet }, name };
}

/** The address and the secret of an inlet, and a body that works. */
function secretLines({ path, secret }: { path: string; secret: string }): string[] {
  const body = { secret, action: 'buy', symbol: 'BTCUSDT', time: '{{timenow}}' };
  return [
    `Address: ${path} of the address at which the sender reaches this service`,
    `Secret:  ${secret}`,
    'The secret is shown only now. A body, for a sender that fills in the time:',
    JSON.stringify(body),
  ];
}

function maxAgeOf(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new ClientProblem('--max-age must be a whole number of seconds from 5 to 900.');
}

const MOST_SIGNALS = '1000';

export const INLET = {
  create: {
    flags: { profile: 'text', name: 'text', 'max-age': 'text' },
    signsIn: true,
    async run(link, flags) {
      const { id } = await profileIn(link, flags);
      const age = flags.get('max-age');
      const name = requireFlag(flags, 'name', 'a name for the inlet');
      const body = { name, ...(age === undefined ? {} : { maxAgeSeconds: maxAgeOf(age) }) };
      const answer = await link.call(createInlet, { params: { id }, body });
      return { answer, lines: secretLines(answer) };
    },
  },
  list: {
    flags: { profile: 'text' },
    signsIn: true,
    async run(link, flags) {
      const { id } = await profileIn(link, flags);
      const answer = await link.call(listInlets, { params: { id } });
      const rows = answer.inlets.map((inlet) => [
        ...[inlet.name, `${inlet.maxAgeSeconds} s`, inlet.createdAt, inlet.secretAt, inlet.id],
      ]);
      return { answer, lines: table([['NAME', 'MAX AGE', 'CREATED', 'SECRET SINCE', 'ID'], ...rows]) };
    },
  },
  replace: {
    flags: { profile: 'text', name: 'text' },
    signsIn: true,
    async run(link, flags) {
      const { params } = await inletIn(link, flags);
      const answer = await link.call(replaceInletSecret, { params });
      return { answer, lines: secretLines(answer) };
    },
  },
  delete: {
    flags: { profile: 'text', name: 'text' },
    signsIn: true,
    async run(link, flags) {
      const { params, name } = await inletIn(link, flags);
      await link.call(deleteInlet, { params });
      return { answer: { id: params.inlet }, lines: [`Deleted: ${name}.`] };
    },
  },
} satisfies Record<string, Remote>;

export const SIGNALS: Remote = {
  flags: { profile: 'text', csv: 'switch' },
  async run(link, flags) {
    const { id } = await profileIn(link, flags);
    const answer = await link.call(listSignals, { params: { id }, query: { limit: MOST_SIGNALS } });
    if (flags.has('csv')) {
      const inTime = answer.signals.filter(({ state }) => state !== 'refused').toReversed();
      const rows = inTime.map(({ at, symbol, action, id: own }) => [at, symbol, action, own].join(','));
      return { answer, lines: ['time,symbol,action,id', ...rows] };
    }
    const rows = answer.signals.map(({ at, symbol, action, key, inlet, state, sentence }) => [
      ...[at, symbol, action, state, inlet, key, sentence],
    ]);
    return { answer, lines: table([['SENT', 'COIN', 'ACTION', 'STATE', 'INLET', 'KEY', 'WHY'], ...rows]) };
  },
};
