import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { Job } from '#lib/platform/db/lease.ts'
import type { DeliveryMonth } from '#lib/platform/db/partitions.ts'
import { logOf } from '#lib/platform/log.ts'
import { ErasedPeople } from '#lib/timeline/projector/erased-people.ts'
import { findMonthsBack, noteLostMonths, settleMonth } from '#lib/timeline/projector/lost-months.ts'
import { runErasure } from './erase-user.ts'
import { insertErasure, isFinished, listUnfinished } from './erasure-store.ts'
import { readLogged } from './export-user.ts'
import { collectValues } from './person-values.ts'

const log = logOf('erasure')

/** The reader acquires its lease for this many milliseconds with each page. */
const leaseMs = 60_000

/** The months are settled in this process, beside everything else. The watcher tries again what was interrupted. */
export function launchSettling(pool: pg.Pool): void {
  void settleMonthsBack(pool).catch((error: unknown) =>
    log.error({ err: error }, 'A month that is back was not settled; that is tried again within a minute'),
  )
}

/**
 * A month that the log lacked holds again what was erased or ended meanwhile. It is read for people who were erased: their
 * erasures begin again, with the values that it names. When they are done, old personal data ends in it anew. Until then
 * nothing is rebuilt, and nothing is sent again to the outside.
 */
export async function settleMonthsBack(pool: pg.Pool): Promise<void> {
  const months = await findMonthsBack(pool, await noteLostMonths(pool))
  const job = new Job('months-back', leaseMs)
  // An erasure that runs would not see the values that are found now.
  if (months.length === 0 || (await listUnfinished(pool)).length > 0 || !(await job.take(pool))) return
  try {
    for (const month of months) {
      const found = [...(await findErased(pool, job, month))]
      const ids = await inTransaction(pool, async (tx) => {
        if (!(await job.hold(tx))) throw new OthersSettle()
        const begun: string[] = []
        for (const person of found) begun.push(await beginAgain(tx, person, month))
        return begun
      })
      for (const id of ids) await finish(pool, id)
      if (!(await job.take(pool))) throw new OthersSettle()
      await inTransaction(pool, (tx) => settleMonth(tx, month))
    }
  } finally {
    if (await job.take(pool)) await job.release(pool)
  }
}

class OthersSettle extends Error {}

async function beginAgain(tx: Transaction, { userUuid, values, exact }: Found, { name }: DeliveryMonth) {
  const given = { values: [...values], exact: [...exact], terms: [], email: null }
  const { id } = await insertErasure(tx, userUuid, given)
  const entry = { actor: commandLine, action: 'user.erase', target: id, outcome: 'begun' } as const
  await recordAudit(tx, { ...entry, details: { month: name } }, noCallSource)
  return id
}

/** Another process may run this erasure. */
async function finish(pool: pg.Pool, id: string): Promise<void> {
  await runErasure(pool, id)
  while (!(await isFinished(pool, id))) await sleep(1_000)
}

interface Found {
  readonly userUuid: string
  readonly values: Set<string>
  readonly exact: Set<string>
}

/** The month has these erased people, and these values of theirs. */
async function findErased(pool: pg.Pool, job: Job, { from, to }: DeliveryMonth): Promise<Iterable<Found>> {
  const erased = new ErasedPeople()
  await erased.load(pool)
  const found = new Map<string, Found>()
  for (let position = from, finished = false; !finished; ) {
    if (!(await job.take(pool))) throw new OthersSettle()
    const page = await readLogged(pool, position)
    for (const { id, body } of page.rows) {
      if (id >= to) break
      for (const { userUuid } of erased.namedIn(body)) {
        const person = found.get(userUuid) ?? { userUuid, values: new Set([userUuid]), exact: new Set() }
        found.set(userUuid, person)
        await collectValues(pool, person, [body])
      }
    }
    position = page.position
    finished = page.finished || position >= to
  }
  return found.values()
}
