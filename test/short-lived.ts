/**
 * These options suit a Node process that lives for a second: optimising Prisma's WebAssembly would take longer than running
 * it, and little garbage needs collecting.
 */
export const shortLived = ['--liftoff-only', '--min-semi-space-size=32']

/** A process with variables of its own needs these, so that `npm test` sees its statements. Decision 0142. */
export const recorded = {
  NODE_OPTIONS: process.env.NODE_OPTIONS,
  RECORD_STATEMENTS: process.env.RECORD_STATEMENTS,
}
