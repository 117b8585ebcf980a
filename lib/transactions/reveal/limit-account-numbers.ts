import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { normaliseIdentifier } from '#lib/deliveries/rules/identifier.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { consumeLimit, readLeft, readWait } from '#lib/platform/limits/limits.ts'
import { TooMany, waitTime } from '#lib/platform/refusals.ts'

const limit = 'account-number-per-person'

/**
 * The whole account numbers that a caller tries are counted when the caller sees them masked, because a mask can be
 * undone by guessing: searches and comparisons share one limit. A number that was tried within a day does not count
 * again, nor one that is `exempt`. Admins are notified once a day when somebody reaches the limit. Throws `TooMany`.
 */
export async function limitAccountNumbers(
  caller: Caller,
  tried: Iterable<string>,
  isExempt: (number: string) => Promise<boolean> = async () => false,
): Promise<void> {
  if (visibilityOf(caller.role, 'account-number') === 'plain') return
  const numbers: string[] = []
  for (const [key, number] of new Map([...tried].map((one) => [keyOf(one), one]))) {
    if ((await readWait('account-number-again', `${caller.id} ${key}`)) > 0) continue
    if (!(await isExempt(number))) numbers.push(key)
  }
  if (numbers.length === 0) return
  const { left, seconds } = await readLeft(limit, caller.id)
  // Fewer numbers may still be tried.
  if (numbers.length > left) throw beyond(left, seconds)
  const wait = await consumeLimit(limit, caller.id, numbers.length)
  if ((await readLeft(limit, caller.id)).left === 0) await tellOfUse(caller)
  if (wait > 0) throw beyond(0, wait)
  for (const number of numbers) await consumeLimit('account-number-again', `${caller.id} ${number}`)
}

/** The same number may be written with other signs between its groups. */
const keyOf = (number: string): string => normaliseIdentifier(number).replace(/[^\p{L}\p{N}]/gu, '')

function beyond(left: number, seconds: number): TooMany {
  const wait = waitTime(seconds)
  if (left === 0) return new TooMany('account-numbers-spent', { wait })
  if (seconds === 0) return new TooMany('account-numbers-left', { left })
  return new TooMany('account-numbers-left-later', { left, wait })
}

const tellOfUse = (caller: Caller) =>
  inTransaction(pool(), (tx) =>
    tellAdmins(tx, { kind: 'account-numbers-tried', actor: caller, onceADay: true }),
  )
