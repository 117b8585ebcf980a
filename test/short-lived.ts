/**
 * For Node, of a process that lives for a second: Prisma's WebAssembly is not optimised, which takes longer than it runs, and
 * little garbage is collected.
 */
export const shortLived = ['--liftoff-only', '--min-semi-space-size=32']
