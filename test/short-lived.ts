/**
 * These options suit a Node process that lives for a second: optimising Prisma's WebAssembly would take longer than running
 * it, and little garbage needs collecting.
 */
export const shortLived = ['--liftoff-only', '--min-semi-space-size=32']
