import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'

/**
 * No erasure of the user begins until the transaction ends. The next statement sees the mark of one that began before, as the
 * statement that waits would not.
 */
export async function shareErasureLock(tx: Transaction, userUuid: string): Promise<void> {
  await tx.query(SHARE_ONE, [advisoryLocks.erasures, userUuid.toLowerCase()])
}

/** The same for all users at once, because a lock for each of many would fill PostgreSQL's table of locks. */
export async function shareUserQueueLock(tx: Transaction): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock_shared($1)', [advisoryLocks.userQueue])
}

/** Until the transaction ends, nobody who shares these locks writes about the user. */
export async function takeErasureLocks(tx: Transaction, userUuid: string): Promise<void> {
  await tx.query(TAKE_ONE, [advisoryLocks.erasures, userUuid.toLowerCase()])
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.userQueue])
}

const SHARE_ONE = 'SELECT pg_advisory_xact_lock_shared($1, hashtext($2))'

const TAKE_ONE = 'SELECT pg_advisory_xact_lock($1, hashtext($2))'
