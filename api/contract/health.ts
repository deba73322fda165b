import { z } from 'zod';
import { operation } from './operation.ts';

const health = { method: 'GET', auth: 'public', status: 200, response: z.object({ status: z.literal('ok') }) } as const;

export const readLiveness = operation({
  ...health,
  path: '/health/live',
  summary: 'The process answers',
});

export const readReadiness = operation({
  ...health,
  path: '/health/ready',
  summary: 'Database and cache store answer, writes succeed and leases are renewed; 503 with the reason otherwise',
});
