import { z } from 'zod';

/** The closed set of error codes and the status each one answers with (RFC 9457 problem details). */
export const PROBLEM_STATUS = {
  malformed_json: 400,
  not_signed_in: 401,
  wrong_credentials: 401,
  bad_token: 401,
  origin_rejected: 403,
  onboarding_closed: 403,
  demo_locked: 403,
  out_of_scope: 403,
  not_found: 404,
  conflict: 409,
  body_too_large: 413,
  wrong_media_type: 415,
  validation_failed: 422,
  too_many_attempts: 429,
  too_many_requests: 429,
  internal: 500,
  exchange_unavailable: 502,
  no_quantity: 502,
  unavailable: 503,
} as const;
export type ProblemCode = keyof typeof PROBLEM_STATUS;

export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  code: z.custom<ProblemCode>((value) => typeof value === 'string' && value in PROBLEM_STATUS),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof problemSchema>;
