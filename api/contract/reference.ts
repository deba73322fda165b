import { z } from 'zod';
import { operation } from './operation.ts';

const page = { method: 'GET', auth: 'public', status: 200 } as const;

export const readOpenApi = operation({
  ...page,
  path: '/openapi.json',
  summary: 'This interface as an OpenAPI 3.1 document',
  response: z.record(z.string(), z.unknown()),
});

export const readReference = operation({
  ...page,
  path: '/docs',
  summary: 'This interface as a page to read',
  media: ['text/html'],
});

export const readReferenceStyle = operation({
  ...page,
  path: '/docs.css',
  summary: 'The look of the page',
  media: ['text/css'],
});
