/**
 * Raised whenever the same deliveries would give other rows: everything is then made anew by itself, decision 0016.
 * `lib/projector/rules-version.test.ts` says when that is.
 */
export const rulesVersion = 5
