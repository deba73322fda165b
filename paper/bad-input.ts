/** Something the operator gave (argument, file, port) cannot be used; the message is the whole sentence to print. */
export class BadInputError extends Error {
  override readonly name = 'BadInputError';
}

/** sysexits.h EX_CONFIG: starting again without changing the input would fail again. */
export const BAD_INPUT_EXIT_CODE = 78;
