/**
 * Raise it whenever the same deliveries would give different rows: databases are then rebuilt automatically
 * (decision 0016). `lib/timeline/projector/rules-version.test.ts` detects that.
 */
export const rulesVersion = 13
