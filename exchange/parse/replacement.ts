import { z } from 'zod';
import { requireShape } from './shape.ts';

const result = z.enum(['SUCCESS', 'FAILURE', 'NOT_ATTEMPTED']);
const halves = z.object({
  cancelResult: result,
  newOrderResult: result,
  cancelResponse: z.unknown(),
  newOrderResponse: z.unknown(),
});

/** Both halves of a reply to cancelReplace; the responses are orders, or `{code, msg}` for a half that failed. */
export type Halves = z.infer<typeof halves>;

/** Parses the body of a successful reply. Throws ExchangeError (unreadable). */
export const parseHalves = (body: unknown): Halves => requireShape(halves, body, 'the reply to a replacement');

/** Parses the halves inside an error of the exchange; undefined when it has none. */
export const readHalves = (payload: unknown): Halves | undefined =>
  z.object({ data: halves }).safeParse(payload).data?.data;

/** Parses code and message of a failed half. */
export const readFailure = (response: unknown): { code: number; msg: string } | undefined =>
  z.object({ code: z.number().int(), msg: z.string() }).safeParse(response).data;
