import 'server-only'

/** Who holds which advisory lock of the database. Any numbers that no other program takes; Prisma's CLI uses 72707369. */
export const advisoryLocks = {
  migrations: 7_247_001,
  partitions: 7_247_002,
  gaps: 7_247_003,
  replays: 7_247_004,
  /** One lock for each endpoint, which a second number names. */
  endpoints: 7_247_005,
  indexes: 7_247_006,
  /** Taken at the commit of each audit entry, by the trigger of migration `audit_chain`. */
  audit: 7_247_007,
  firstAdmin: 7_247_008,
  team: 7_247_010,
  noticeMail: 7_247_011,
  /** Taken by a start that looks whether its database was restored, and by whoever says that it was. */
  restore: 7_247_022,
  /** One for each slot of `transaction_count`, which a second number names; taken by the triggers of `transaction`. */
  transactionCountSlot: 7_247_020,
  /** Shared by those triggers while what was there before them is counted. */
  transactionCountFill: 7_247_021,
  /** Held while the chain is read as a whole. */
  auditCheck: 7_247_019,
} as const
