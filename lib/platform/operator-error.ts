/** The operator must correct something. Each line of the message says all of one thing, and no stack trace helps. */
export class OperatorError extends Error {}

/** A program prints the message of an `OperatorError`, and everything that is known of any other error. */
export const describeForOperator = (error: unknown): unknown =>
  error instanceof OperatorError ? error.message : error
