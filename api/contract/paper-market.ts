import { z } from 'zod';
import { paperMarket, paperState } from '#core/installation/paper-market.ts';
import { operation } from './operation.ts';

export const readPaperMarket = operation({
  method: 'GET',
  path: '/paper-market',
  auth: 'session',
  status: 200,
  summary: 'The market of the paper exchange of this installation; null when it does not run one',
  response: z.object({ paper: paperState.nullable() }),
});

export const changePaperMarket = operation({
  method: 'PUT',
  path: '/paper-market',
  auth: 'session',
  status: 202,
  summary: 'Has the paper exchange run another market; then api and worker start again',
  audit: 'paper-market.change',
  body: z.strictObject({ market: paperMarket }),
  response: z.object({ market: paperMarket }),
});
