import { z } from 'zod';
import { instant, ofAccount, ofProfile } from './fields.ts';
import { operation } from './operation.ts';

const change = z.strictObject({
  engaged: z.boolean(),
  reason: z.string().max(500).optional(),
  /** Also stops exits. */
  freeze: z.boolean().optional(),
  /** Also cancels open buy orders on the exchange while it is engaged. */
  cancelEntryOrders: z.boolean().optional(),
});

export const killSwitch = z.object({
  engaged: z.boolean(),
  since: instant.nullable(),
  by: z.string().nullable(),
  reason: z.string().nullable(),
  freeze: z.boolean(),
  cancelEntryOrders: z.boolean(),
});

const read = {
  method: 'GET',
  auth: 'session',
  status: 200,
  summary: 'State of a kill switch',
  response: killSwitch,
} as const;
const write = {
  method: 'PUT',
  auth: 'session',
  status: 200,
  summary:
    'Engages or releases a kill switch; while it is engaged, no new entry can be committed. A token can only engage it',
  // A token may engage it; the handler refuses everything else.
  need: 'read',
  audit: ['kill-switch.engage', 'kill-switch.release'],
  locks: [],
  body: change,
  response: killSwitch,
} as const;

export const readKillSwitch = operation({ ...read, path: '/kill-switch' });
export const setKillSwitch = operation({ ...write, path: '/kill-switch' });
export const readAccountKillSwitch = operation({ ...read, ...ofAccount, path: '/accounts/:id/kill-switch' });
export const setAccountKillSwitch = operation({ ...write, ...ofAccount, path: '/accounts/:id/kill-switch' });
export const readProfileKillSwitch = operation({ ...read, ...ofProfile, path: '/profiles/:id/kill-switch' });
export const setProfileKillSwitch = operation({ ...write, ...ofProfile, path: '/profiles/:id/kill-switch' });
