/** Brings a fault about on real processes and compares the books. Throws what is wrong; answers what it saw. */
export type FaultTest = (how: { readonly short: boolean }) => Promise<string>

/** It cannot be brought about on this machine; the message says what it needs. It counts as skipped. */
export class CannotRunHere extends Error {}
