/** The operator must correct something. The message is one line that says all, and no stack trace helps. */
export class OperatorError extends Error {}

/** A program prints the line of an `OperatorError`, and everything that is known of any other error. */
export const describeForOperator = (error: unknown): unknown =>
  error instanceof OperatorError ? error.message : error
