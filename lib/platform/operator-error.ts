/** Whoever runs this has to put something right: the message is the whole answer in one line, and no stack helps. */
export class OperatorError extends Error {}

/** What a program prints of an error: of an `OperatorError` its line, of any other all that is known. */
export const describeForOperator = (error: unknown): unknown =>
  error instanceof OperatorError ? error.message : error
