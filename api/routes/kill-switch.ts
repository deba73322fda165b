import { engageHalt, type HaltSubject, readHalt, releaseHalt } from '#storage/trading/halts.ts';
import { announce } from '#api/frame/bus.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  readAccountKillSwitch,
  readKillSwitch,
  readProfileKillSwitch,
  setAccountKillSwitch,
  setKillSwitch,
  setProfileKillSwitch,
} from '#api/contract/halts.ts';
import type { AllRoutes, Incoming } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { isUnavailable, outageOf } from '#api/frame/unavailable.ts';
import { killSwitchView } from '#api/views/views.ts';

const ALL: HaltSubject = { scope: 'all', subject: 'all' };
const subjectText = ({ scope, subject }: HaltSubject): string => (scope === 'all' ? 'all' : `${scope}:${subject}`);

const readView = async (context: ApiContext, subject: HaltSubject) =>
  killSwitchView(await readHalt(context.database.kysely, subject));

const INSTEAD =
  'To stop trading now, stop the worker: it places nothing more, and stops that rest on the exchange stay there.';

/** An operator who stops trading must learn when that failed, and how to stop it instead. */
function notStored(error: unknown, engaged: boolean): unknown {
  if (!isUnavailable(error)) return error;
  const { sentence, stored } = outageOf(error);
  const outcome =
    stored === 'nothing'
      ? 'The kill switch is unchanged.'
      : 'It is not known whether the kill switch was stored: read it again.';
  return new ApiProblem('unavailable', [sentence, outcome, ...(engaged ? [INSTEAD] : [])].join(' '));
}

type Switch =
  | Incoming<typeof setKillSwitch>
  | Incoming<typeof setAccountKillSwitch>
  | Incoming<typeof setProfileKillSwitch>;

const setHalt = (context: ApiContext, incoming: Switch, target: HaltSubject) =>
  storeHalt(context, incoming, target).catch((error: unknown) => {
    throw notStored(error, incoming.body.engaged);
  });

async function storeHalt(context: ApiContext, { operator, commit, body }: Switch, target: HaltSubject) {
  const { engaged, reason = '', freeze = false, cancelEntryOrders: cancelEntries = false } = body;
  if (operator.token !== null && (!engaged || freeze || cancelEntries))
    throw new ApiProblem('out_of_scope', 'A token may only engage a kill switch: sign in to release it or for more.');
  const userId = operator.user.id;
  const { changed, view } = await commit(async ({ transaction }) => {
    const before = killSwitchView(await readHalt(transaction, target));
    // Neither a token nor a command of the chat weakens a switch that also stops exits.
    const onlyEngages = operator.token !== null || (operator.chat !== undefined && engaged);
    if (onlyEngages && before.engaged) return { answer: { changed: false, view: before }, unchanged: true };
    if (engaged) await engageHalt(transaction, { ...target, reason, freeze, cancelEntries, userId });
    else await releaseHalt(transaction, target);
    const after = killSwitchView(await readHalt(transaction, target));
    if (JSON.stringify(before) === JSON.stringify(after))
      return { answer: { changed: false, view: after }, unchanged: true };
    const action = engaged ? 'kill-switch.engage' : 'kill-switch.release';
    return { answer: { changed: true, view: after }, action, subject: subjectText(target), before, after };
  });
  if (!changed) return view;
  const id = target.scope === 'profile' ? { id: target.subject } : {};
  const data = { ...target, engaged };
  await announce(context, { command: 'halts-changed', events: [{ topic: 'halt', ...id, data }] });
  return view;
}

const accountTarget = (incoming: { readonly account: { readonly id: string } }): HaltSubject => ({
  scope: 'account',
  subject: incoming.account.id,
});
const profileTarget = (incoming: { readonly profile: { readonly id: string } }): HaltSubject => ({
  scope: 'profile',
  subject: incoming.profile.id,
});

export function mountKillSwitch({ urgent: { context, handle } }: AllRoutes): void {
  handle(readKillSwitch, () => readView(context, ALL));
  handle(setKillSwitch, (incoming) => setHalt(context, incoming, ALL));
  handle(readAccountKillSwitch, (incoming) => readView(context, accountTarget(incoming)));
  handle(setAccountKillSwitch, (incoming) => setHalt(context, incoming, accountTarget(incoming)));
  handle(readProfileKillSwitch, (incoming) => readView(context, profileTarget(incoming)));
  handle(setProfileKillSwitch, (incoming) => setHalt(context, incoming, profileTarget(incoming)));
}
