import type { HaltScope } from '#core/account/halts.ts';
import { engageHalt, type HaltSubject, readHalt, releaseHalt } from '#storage/trading/halts.ts';
import { auditChange } from '#api/audit.ts';
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
import type { Caller } from '#api/guard/caller.ts';
import type { Operator } from '#api/guard/session.ts';
import type { AllRoutes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount, requireProfile } from '#api/require.ts';
import { isUnavailable, outageOf } from '#api/frame/unavailable.ts';
import { killSwitchView } from '#api/views/views.ts';

interface KillSwitchInput {
  readonly engaged: boolean;
  readonly reason?: string | undefined;
  readonly freeze?: boolean | undefined;
  readonly cancelEntryOrders?: boolean | undefined;
}

interface Author {
  readonly operator: Operator;
  readonly caller: Caller;
}

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

const setHalt = (context: ApiContext, who: Author, change: { target: HaltSubject; input: KillSwitchInput }) =>
  storeHalt(context, who, change).catch((error: unknown) => {
    throw notStored(error, change.input.engaged);
  });

async function storeHalt(
  context: ApiContext,
  who: Author,
  { target, input }: { target: HaltSubject; input: KillSwitchInput },
) {
  const { engaged, reason = '', freeze = false, cancelEntryOrders: cancelEntries = false } = input;
  const userId = who.operator.user.id;
  const { changed, view } = await context.database.transaction(async (transaction) => {
    const before = killSwitchView(await readHalt(transaction, target));
    if (engaged) await engageHalt(transaction, { ...target, reason, freeze, cancelEntries, userId });
    else await releaseHalt(transaction, target);
    const after = killSwitchView(await readHalt(transaction, target));
    const action = engaged ? 'kill-switch.engage' : 'kill-switch.release';
    const isChange = JSON.stringify(before) !== JSON.stringify(after);
    if (isChange) await auditChange(transaction, who, { action, subject: subjectText(target), before, after });
    return { changed: isChange, view: after };
  });
  if (!changed) return view;
  const id = target.scope === 'profile' ? { id: target.subject } : {};
  const data = { ...target, engaged };
  await announce(context, { command: 'halts-changed', events: [{ topic: 'halt', ...id, data }] });
  return view;
}

const haltSubject = (scope: HaltScope, subject: string): HaltSubject => ({ scope, subject });

export function mountKillSwitch({ urgent: { context, handle } }: AllRoutes): void {
  const { database } = context;

  handle(readKillSwitch, () => readView(context, ALL));
  handle(setKillSwitch, ({ operator, caller, body }) =>
    setHalt(context, { operator, caller }, { target: ALL, input: body }),
  );

  handle(readAccountKillSwitch, async ({ operator, params }) => {
    const { id } = await requireAccount(database.kysely, operator, params.id);
    return readView(context, haltSubject('account', id));
  });
  handle(setAccountKillSwitch, async ({ operator, caller, params, body }) => {
    const { id } = await requireAccount(database.kysely, operator, params.id);
    return setHalt(context, { operator, caller }, { target: haltSubject('account', id), input: body });
  });

  handle(readProfileKillSwitch, async ({ operator, params }) => {
    const { id } = await requireProfile(database.kysely, operator, params.id);
    return readView(context, haltSubject('profile', id));
  });
  handle(setProfileKillSwitch, async ({ operator, caller, params, body }) => {
    const { id } = await requireProfile(database.kysely, operator, params.id);
    return setHalt(context, { operator, caller }, { target: haltSubject('profile', id), input: body });
  });
}
