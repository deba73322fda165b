import { z } from 'zod';
import { SIGNAL_ACTIONS, SIGNAL_STATES } from '#core/order/signal.ts';
import { humanName, instant, numbers, ofProfile, orderId, profileId, symbolName } from './fields.ts';
import { operation } from './operation.ts';

/** 128 random bits. */
const inletId = z.string().regex(/^[\w-]{22}$/);
const ofInlet = { ...ofProfile, params: z.object({ id: profileId, inlet: inletId }) } as const;

/** Seconds after its time in which a signal may place its order. */
const maxAgeSeconds = z.number().int().min(5).max(900);

const signal = z.object({
  id: z.uuid(),
  /** Name of the inlet. */
  inlet: z.string(),
  /** The id of the sender, else symbol, action and time. */
  key: z.string(),
  symbol: symbolName,
  action: z.enum(SIGNAL_ACTIONS),
  /** When it was sent, as the sender says. */
  at: instant,
  receivedAt: instant,
  validUntil: instant,
  state: z.enum(SIGNAL_STATES),
  /** Code, sentence and numbers of the last answer to it. */
  reason: z.string(),
  sentence: z.string(),
  numbers,
  orderId: orderId.nullable(),
});

export const listInlets = operation({
  ...ofProfile,
  method: 'GET',
  path: '/profiles/:id/inlets',
  status: 200,
  summary: 'The inlets of a profile, through which other programs send it signals',
  response: z.object({
    inlets: z.array(
      z.object({
        id: inletId,
        name: z.string(),
        maxAgeSeconds: z.number(),
        createdAt: instant,
        /** When it got its present secret. */
        secretAt: instant,
        /** When its newest recorded signal arrived. */
        lastSignalAt: instant.nullable(),
        /**
         * How many of its signals ended how, of the 30 days for which they are kept; `reason` is null except for refused
         * ones. Repeated messages and those with a wrong secret or a wrong field are not recorded.
         */
        outcomes: z.array(z.object({ state: z.enum(SIGNAL_STATES), reason: z.string().nullable(), count: z.number() })),
      }),
    ),
  }),
});

/** `path` is the address below the service to which signals are sent. */
const secretAnswer = z.object({ id: inletId, path: z.string(), secret: z.string() });

export const createInlet = operation({
  ...ofProfile,
  method: 'POST',
  path: '/profiles/:id/inlets',
  status: 201,
  summary: 'Creates an inlet for a profile whose strategy acts on signals; its secret is in this answer only',
  audit: 'inlet.create',
  body: z.strictObject({ name: humanName, maxAgeSeconds: maxAgeSeconds.default(60) }),
  response: secretAnswer,
});

export const replaceInletSecret = operation({
  ...ofInlet,
  method: 'POST',
  path: '/profiles/:id/inlets/:inlet/secret',
  status: 200,
  summary: 'Gives an inlet another secret; the next signal with the old one is refused',
  audit: 'inlet.replace-secret',
  response: secretAnswer,
});

export const deleteInlet = operation({
  ...ofInlet,
  method: 'DELETE',
  path: '/profiles/:id/inlets/:inlet',
  status: 204,
  summary: 'Deletes an inlet; the signals that it recorded stay',
  audit: 'inlet.delete',
});

export const listSignals = operation({
  ...ofProfile,
  method: 'GET',
  path: '/profiles/:id/signals',
  need: 'read',
  status: 200,
  summary: 'The recorded signals of a profile with their orders, newest first; a repeated one has one row',
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1_000).default(100) }),
  response: z.object({ signals: z.array(signal) }),
});

export const sendSignal = operation({
  method: 'POST',
  path: '/signals/:inlet',
  auth: 'public',
  status: 202,
  summary: 'Takes a signal of another program, as JSON or as name=value text: secret, action, symbol, time, and an id',
  params: z.object({ inlet: z.string().max(100) }),
  upload: '*/*',
  response: z.object({
    id: z.uuid(),
    /** True when it was recorded before: it places no second order. */
    duplicate: z.boolean(),
    state: z.enum(SIGNAL_STATES),
  }),
});
