import 'server-only'
import type pg from 'pg'
import { openBufferedWriter } from '#lib/platform/db/buffered-writer.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { type RefusalReason, reasonsThatAre } from '../rules/refusal-reasons.ts'
import {
  foldAgainAfter,
  type RefusalCount,
  type WrongSecretCaller,
  writeRefusals,
  writeWrongSecretCallers,
} from './write-refusals.ts'

const limited = limitedLog(logOf('ingest'))

/** `RefusalCounter` counts requests that were not answered 2xx, per receiver, minute and reason. It keeps no bodies. */
export interface RefusalCounter {
  /** `caller` is the address of the sender, which is kept for wrong secrets. */
  add(receiverId: string, why: RefusalReason, caller?: string | null): void
  close(): Promise<void>
}

/**
 * At most this many counts wait in memory. Invented receiver ids may use only the smaller part. A write shows which ids
 * exist.
 */
const maxPending = 10_000
const maxUnknownReceivers = 200
const maxCallers = 200

export function openRefusalCounter(pool: pg.Pool, isReceiver: (id: string) => boolean): RefusalCounter {
  let refused = new Map<string, RefusalCount>()
  let callers = new Map<string, WrongSecretCaller>()
  let unproven = 0
  const writer = openBufferedWriter(write, { after: 500, retryAfter: 2_000 })

  function addRefused(one: RefusalCount) {
    const key = `${one.receiverId} ${one.why} ${one.minute}`
    const known = refused.get(key)
    if (!known) {
      const proven = isReceiver(one.receiverId)
      if (refused.size >= maxPending || (!proven && unproven >= maxUnknownReceivers)) return
      if (!proven) unproven += 1
    }
    refused.set(key, known ? { ...joinKey(known, one), firstAt: Math.min(known.firstAt, one.firstAt) } : one)
  }

  function addCaller(one: WrongSecretCaller) {
    const address = callers.size < maxCallers ? one.address : ''
    const key = `${one.receiverId} ${one.hour} ${address}`
    const known = callers.get(key)
    if (!known && callers.size >= maxPending) return
    callers.set(key, known ? joinKey(known, one) : { ...one, address })
  }

  async function write() {
    const [rows, addresses] = [[...refused.values()], [...callers.values()]]
    refused = new Map()
    callers = new Map()
    unproven = 0
    const isWritten = await writeRefusals(pool, rows).then(
      () => true,
      (error: unknown) => {
        notWritten(error)
        for (const row of rows) addRefused(row)
      },
    )
    if (isWritten)
      await foldAgainAfter(
        pool,
        rows
          .filter(({ why }) => evidence.includes(why))
          .map(({ receiverId, firstAt }) => ({ receiverId, msAgo: Date.now() - firstAt })),
      )
    await writeWrongSecretCallers(pool, addresses).catch((error: unknown) => {
      notWritten(error)
      for (const row of addresses) addCaller(row)
    })
    // While the database is unreachable, the counts wait.
    return refused.size + callers.size === 0
  }

  return {
    add(receiverId, why, caller = null) {
      const now = Date.now()
      addRefused({ receiverId, why, minute: now - (now % 60_000), count: 1, firstAt: now, lastAt: now })
      if (caller !== null)
        addCaller({ receiverId, hour: now - (now % 3_600_000), address: caller, count: 1, lastAt: now })
      writer.request()
    },
    close: writer.close,
  }
}

/** The fold reads only these reasons. Others, such as strangers' wrong secrets, tell it nothing. */
const evidence = reasonsThatAre('deferred')

const notWritten = (error: unknown) =>
  limited.warn(causeOf(error), { err: error }, 'Refusals could not be counted; they are again')

const joinKey = <T extends { readonly count: number; readonly lastAt: number }>(a: T, b: T): T => ({
  ...a,
  count: a.count + b.count,
  lastAt: Math.max(a.lastAt, b.lastAt),
})
