/**
 * A fault test breaks something on real processes and compares the records. It throws what is wrong, and answers what it
 * saw.
 */
export type FaultTest = (how: { readonly short: boolean }) => Promise<string>

/** The fault cannot be caused on this machine, and the message says what it needs. The test counts as skipped. */
export class CannotRunHere extends Error {}
