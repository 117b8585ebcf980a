import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { findUsersByCustomerNumber } from '#lib/identity/users/find-users-by-customer-number.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { textParameter } from '#lib/platform/db/text-parameter.ts'
import { consumeLimit, readLeft, readWait } from '#lib/platform/limits/limits.ts'
import { TooMany, waitLabel } from '#lib/platform/refusals.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { wholeNumberIn } from './rules/read-query.ts'

/**
 * Counts the whole account numbers that these lines look for, where the caller sees them masked: what a mask leaves out is found
 * by trying. Admins are told once a day when somebody has used up what one person may. Throws `TooMany`.
 */
export async function limitAccountNumbers(caller: Caller, lines: readonly CleanText[]): Promise<void> {
  if (visibilityOf(caller.role, 'account-number') === 'plain') return
  const numbers = await newNumbers(caller, lines)
  if (numbers.length === 0) return
  const { left, seconds } = await readLeft(limit, caller.id)
  // Fewer of them may still be looked for.
  if (numbers.length > left) throw beyond(left, seconds)
  const wait = await consumeLimit(limit, caller.id, numbers.length)
  if ((await readLeft(limit, caller.id)).left === 0) await tellOfUse(caller)
  if (wait > 0) throw beyond(0, wait)
  for (const number of numbers) await consumeLimit('account-number-again', `${caller.id} ${number}`)
}

const limit = 'account-number-per-person'

/** Those that were not looked for within a day. A customer number is none: it is looked up as nothing else (`findSubjects`). */
async function newNumbers(caller: Caller, lines: readonly CleanText[]): Promise<string[]> {
  const numbers = new Set<string>()
  for (const line of lines.map((one) => cleanText(textParameter(one)))) {
    const number = wholeNumberIn(line)
    if (number === null || numbers.has(number)) continue
    const isKnown = (await readWait('account-number-again', `${caller.id} ${number}`)) > 0
    if (!isKnown && (await findUsersByCustomerNumber(line)).length === 0) numbers.add(number)
  }
  return [...numbers]
}

function beyond(left: number, seconds: number): TooMany {
  const wait = seconds > 0 ? waitLabel(seconds) : null
  if (left === 0)
    return new TooMany(seconds, {
      title: 'You have looked for as many account numbers as one person may in a day.',
      next: `Wait ${wait}, then try again. Everything but account numbers can be searched for meanwhile.`,
    })
  return new TooMany(seconds, {
    title: 'These are more account numbers than one person may look for in a day.',
    next: `Paste at most ${left} of them${wait === null ? '' : `, or wait ${wait}`}.`,
  })
}

const tellOfUse = (caller: Caller) =>
  inTransaction(pool(), (tx) =>
    tellAdmins(tx, { kind: 'account-numbers-tried', actor: caller, onceADay: true }),
  )
