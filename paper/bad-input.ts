/** An argument, file or port of the operator cannot be used. The message is the whole sentence to print. */
export class BadInputError extends Error {
  override readonly name = 'BadInputError';
}

/** sysexits.h EX_CONFIG: a restart without changed input would fail again. */
export const BAD_INPUT_EXIT_CODE = 78;
