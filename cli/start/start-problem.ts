/** Starting is not possible; the message is the whole sentence for the operator. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}
