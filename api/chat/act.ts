import { createHash, randomInt } from 'node:crypto';
import { z } from 'zod';
import { newId } from '#core/ids.ts';
import { canonicalJson } from '#core/json.ts';
import type { StoredChat } from '#storage/operator/chat.ts';
import { profileId, symbolName } from '#api/contract/fields.ts';
import { readKillSwitch, readProfileKillSwitch, setKillSwitch, setProfileKillSwitch } from '#api/contract/halts.ts';
import { forceSell } from '#api/contract/manual.ts';
import type { Answer } from '#api/contract/operation.ts';
import { readPerformance } from '#api/contract/performance.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { approveProposal, denyProposal, listProposals } from '#api/contract/proposals.ts';
import { readDashboard } from '#api/contract/records.ts';
import { readWhy } from '#api/contract/why.ts';
import { isUnavailable } from '#api/frame/unavailable.ts';
import { type CallOperation, CallRefused } from './call.ts';
import { type CommandName, readHours } from './command.ts';
import * as texts from './texts.ts';

/** A command that waits for its code, with everything that it will send. */
const intentSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('resume'), id: profileId.nullable() }),
  z.object({ kind: z.literal('sell'), id: profileId, symbol: symbolName, requestId: z.uuid() }),
  z.object({ kind: z.literal('approve'), id: z.uuid(), hash: z.string() }),
]);
type Intent = z.output<typeof intentSchema>;

/** The answer to a message, and the command that waits for the code in it. */
export interface Acted {
  readonly text: string;
  readonly code?: { readonly hash: Buffer; readonly intent: Intent };
}

interface Acting {
  readonly call: CallOperation;
  readonly now: Date;
}

export const CODE_VALID_SECONDS = 120;
const CODE_TRIES = 3;
const HOUR_MS = 3_600_000;
const REASON = 'From Telegram';

const hashOf = (code: string, intent: unknown): Buffer =>
  createHash('sha256')
    .update(`${code}:${canonicalJson(intent)}`)
    .digest();

/** An answer with a new code, which carries out exactly this command. */
function withCode(intent: Intent, what: string): Acted {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const text = `${what}\nSend ${code} within ${CODE_VALID_SECONDS / 60} minutes to do it.`;
  return { text, code: { intent, hash: hashOf(code, intent) } };
}

type Profile = Answer<typeof listProfiles>['profiles'][number];
type Found<Row> = { readonly row: Row } | { readonly text: string };

/** The one row whose name starts with `wanted`, or is it. */
function findOne<Row>(rows: readonly Row[], nameOf: (row: Row) => string, wanted: string): Found<Row> {
  const lower = wanted.toLowerCase();
  const exact = rows.filter((row) => nameOf(row).toLowerCase() === lower);
  const [row, ...others] =
    exact.length > 0 ? exact : rows.filter((each) => nameOf(each).toLowerCase().startsWith(lower));
  if (row === undefined)
    return { text: `There is no ${wanted}: ${rows.map(nameOf).join(', ') || 'the list is empty'}.` };
  return others.length === 0 ? { row } : { text: `Several match: ${[row, ...others].map(nameOf).join(', ')}.` };
}

async function findProfile({ call }: Acting, name: string): Promise<Found<Profile>> {
  return findOne((await call(listProfiles, {})).profiles, (profile) => profile.name, name);
}

async function halt(acting: Acting, name: string): Promise<Acted> {
  const { call } = acting;
  const body = { engaged: true, reason: REASON };
  if (name === '') {
    await call(setKillSwitch, { body });
    return { text: 'Buying is stopped everywhere. Exits continue. /resume allows it again.' };
  }
  const found = await findProfile(acting, name);
  // A mistyped name must not leave buying on without an answer that says so.
  if ('text' in found) return { text: `Nothing is stopped. ${found.text} /halt without a name stops everything.` };
  await call(setProfileKillSwitch, { params: { id: found.row.id }, body });
  return { text: `Buying of ${found.row.name} is stopped. Exits continue.` };
}

async function resume(acting: Acting, name: string): Promise<Acted> {
  const { call } = acting;
  const found = name === '' ? undefined : await findProfile(acting, name);
  if (found !== undefined && 'text' in found) return found;
  const [id, what] = found === undefined ? [null, 'everything'] : [found.row.id, found.row.name];
  const view = id === null ? await call(readKillSwitch, {}) : await call(readProfileKillSwitch, { params: { id } });
  if (!view.engaged) return { text: `The kill switch of ${what} is not engaged.` };
  const since = view.since === null ? '' : ` since ${view.since.slice(0, 16)}Z`;
  return withCode({ kind: 'resume', id }, `Allow buying again: ${what}, stopped${since}: ${view.reason ?? ''}`);
}

async function sell({ call }: Acting, [coin = '', ...profileName]: readonly string[]): Promise<Acted> {
  if (coin === '') return { text: 'Name the coin: /sell SOL.' };
  const held = (await call(readDashboard, {})).coins.filter(texts.isHeld);
  const upper = coin.toUpperCase();
  const isCoin = ({ symbol, baseAsset }: texts.HeldCoin): boolean => symbol === upper || baseAsset === upper;
  const matching = held.filter(isCoin);
  const [first, ...others] = matching;
  if (first === undefined) return { text: `No profile holds ${upper}.` };
  const name = profileName.join(' ');
  const found = others.length === 0 && name === '' ? { row: first } : findOne(matching, (row) => row.profileName, name);
  if ('text' in found) return { text: `${found.text} Name the profile: /sell ${upper} NAME.` };
  const { profileId: id, symbol } = found.row;
  const intent: Intent = { kind: 'sell', id, symbol, requestId: newId() };
  return withCode(intent, `Sell the whole position at the market:\n${texts.positionText(found.row)}`);
}

async function openProposals({ call }: Acting): Promise<texts.Proposal[]> {
  const { proposals } = await call(listProposals, { query: { limit: '50' } });
  return proposals.filter(({ state }) => state === 'open');
}

const NO_PROPOSAL = 'No program proposes an order now.';

async function listOpen(acting: Acting): Promise<Acted> {
  const open = await openProposals(acting);
  return { text: open.length === 0 ? NO_PROPOSAL : open.map(texts.announcementText).join('\n\n') };
}

async function findProposal(acting: Acting, wanted: string): Promise<Found<texts.Proposal>> {
  const open = await openProposals(acting);
  const [first, ...others] = wanted === '' ? open : open.filter(({ id }) => texts.shortId(id) === wanted);
  if (first === undefined) return { text: open.length === 0 ? NO_PROPOSAL : `No open proposal ends with ${wanted}.` };
  if (others.length > 0) return { text: 'Several are open: choose one of /proposals.' };
  return { row: first };
}

async function approve(acting: Acting, wanted: string): Promise<Acted> {
  const found = await findProposal(acting, wanted);
  if ('text' in found) return found;
  const { id, hash, preview } = found.row;
  if (preview?.state === 'refused') return { text: `The worker refuses the order: ${preview.reason ?? 'no reason'}` };
  if (preview?.state !== 'done') return { text: 'The worker has not judged the order yet: try again in a moment.' };
  return withCode({ kind: 'approve', id, hash }, texts.proposalText(found.row));
}

async function deny(acting: Acting, wanted: string): Promise<Acted> {
  const found = await findProposal(acting, wanted);
  if ('text' in found) return found;
  await acting.call(denyProposal, { params: { id: found.row.id } });
  return { text: `Denied.\n${texts.proposalText(found.row)}` };
}

async function profit({ call }: Acting, span: string): Promise<Acted> {
  const dashboard = await call(readDashboard, {});
  if (span === '' || span === 'day') return { text: texts.todayText(dashboard) };
  if (span !== 'week' && span !== 'month') return { text: 'Choose /profit, /profit week or /profit month.' };
  const lines: string[] = [];
  for (const { id, name } of dashboard.accounts) {
    const period = span === 'week' ? '1w' : '1m';
    const { net, quoteAsset } = await call(readPerformance, { params: { id }, query: { period } });
    const [pnl, realised, fees] = [net.pnl, net.realised, net.fees].map(texts.amount);
    lines.push(`${name}, last ${span}: P&L ${pnl} ${quoteAsset ?? ''}, realised ${realised}, fees ${fees}`);
  }
  return { text: lines.join('\n') || 'There is no account.' };
}

async function why({ call, now }: Acting, [coin = '', span = '24h']: readonly string[]): Promise<Acted> {
  if (coin === '') return { text: 'Name the coin: /why SOL, or /why SOL 3d.' };
  const hours = readHours(span);
  if (hours === undefined) return { text: 'Give the time as 12h, 3d or 1w, at most 92 days.' };
  const upper = coin.toUpperCase();
  const { coins } = await call(readDashboard, {});
  const bound = coins.filter(({ symbol, baseAsset }) => symbol === upper || baseAsset === upper);
  if (bound.length === 0) return { text: `No profile trades ${upper}.` };
  const from = new Date(now.getTime() - hours * HOUR_MS).toISOString();
  const found: string[] = [];
  for (const { profileId: id, profileName, symbol } of bound.slice(0, 4))
    found.push(texts.whyText(profileName, await call(readWhy, { params: { id }, query: { symbol, from } })));
  return { text: found.join('\n\n') };
}

/** Carries out a command. A change is committed with its update; a command that needs a code only returns it. */
export async function actOn(acting: Acting, name: CommandName, words: readonly string[]): Promise<Acted> {
  const [first = ''] = words;
  const all = words.join(' ');
  if (name === 'status') return { text: texts.statusText(await acting.call(readDashboard, {})) };
  if (name === 'positions') return { text: texts.positionsText(await acting.call(readDashboard, {})) };
  if (name === 'profit') return profit(acting, first.toLowerCase());
  if (name === 'why') return why(acting, words);
  if (name === 'proposals') return listOpen(acting);
  if (name === 'halt') return halt(acting, all);
  if (name === 'resume') return resume(acting, all);
  if (name === 'sell') return sell(acting, words);
  if (name === 'approve') return approve(acting, first);
  if (name === 'deny') return deny(acting, first);
  return { text: texts.HELP };
}

async function carryOut({ call }: Acting, intent: Intent): Promise<string> {
  if (intent.kind === 'resume') {
    const body = { engaged: false };
    if (intent.id === null) await call(setKillSwitch, { body });
    else await call(setProfileKillSwitch, { params: { id: intent.id }, body });
    return 'Buying is allowed again.';
  }
  if (intent.kind === 'sell') {
    const { id, symbol, requestId } = intent;
    await call(forceSell, { params: { id, symbol }, body: { requestId } });
    return `The worker sells ${symbol} now. /positions shows the outcome.`;
  }
  await call(approveProposal, { params: { id: intent.id }, body: { hash: intent.hash } });
  return 'Approved. The worker checks the order again and places it within 30 seconds.';
}

/** Carries out the command that waits for `code`; `wrong` counts a try. */
export async function confirm(
  acting: Acting,
  { code: waiting }: Pick<StoredChat, 'code'>,
  code: string,
): Promise<Acted & { readonly wrong?: true }> {
  if (waiting === null) return { text: 'No command waits for a code.' };
  if (!waiting.valid) return { text: 'The code has expired: send the command again.' };
  if (!hashOf(code, waiting.intent).equals(waiting.hash)) {
    if (waiting.tries + 1 >= CODE_TRIES) return { text: 'Wrong for the third time: send the command again.' };
    return { text: 'This is not the code of the newest command.', wrong: true };
  }
  return { text: await carryOut(acting, intentSchema.parse(waiting.intent)) };
}

/** A refusal as an answer. Throws any other error, and an outage, after which the message is tried again. */
export function refusalText(error: unknown): string {
  if (!(error instanceof CallRefused) || error.status === 503) throw error;
  return error.status >= 500 ? 'It failed unexpectedly: see the log of the api.' : error.message;
}

/** Whether a message that failed must be tried again. */
export const isOutage = (error: unknown): boolean =>
  error instanceof CallRefused ? error.status === 503 : isUnavailable(error);
