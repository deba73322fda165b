/** The start failed. The message is a complete sentence for the operator. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}
