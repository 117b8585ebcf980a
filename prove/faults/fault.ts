/** Brings a fault about on real processes and compares the books. Throws what is wrong; answers what it saw. */
export type Fault = (how: { readonly short: boolean }) => Promise<string>

/** It cannot be brought about on this machine, and why. */
export class NotHere extends Error {}
