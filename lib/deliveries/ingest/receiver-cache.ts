import 'server-only'
import type pg from 'pg'
import type { Listener } from '#lib/platform/db/listen.ts'
import type { SecretDigest } from '#lib/platform/keys/digests-and-seals.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { parseReceiverState, type ReceiverState, takesDeliveries } from '../rules/endpoint-states.ts'

const limited = limitedLog(logOf('ingest'))

/** Deliveries are checked against these values of their receiver. */
export interface Receiver {
  readonly id: string
  readonly state: ReceiverState
  /** The secret is null until the service has given it. */
  readonly secret: SecretDigest | null
}

/** `ReceiverCache` keeps receivers for up to 2 s. A trigger notifies every process of a change at once. */
export interface ReceiverCache {
  /** `cached` returns the row in memory, up to `maxAgeMs` old. */
  cached(id: string): Receiver | undefined
  /** `load` reads the row; null for an unknown or closed receiver. It throws when the database does not answer. */
  load(id: string): Promise<Receiver | null>
  /** An id is known once its row was read here, even that of a closed receiver. */
  isKnown(id: string): boolean
  /**
   * `redigest` stores this digest instead, unless the secret has changed meanwhile. `updated_at` stays, because it says when
   * the secret may have changed.
   */
  redigest(receiver: Receiver, secret: SecretDigest): Promise<void>
  close(): void
}

/**
 * A cached row is trusted for this many milliseconds if its change notification is lost. After half that time a read
 * refreshes it in advance.
 */
const maxAgeMs = 2_000

/** Two reads begin at least this many milliseconds apart. A flood of wrong secrets is refused no faster. */
const minIntervalMs = 20

export function openReceiverCache(pool: pg.Pool, listener: Listener): ReceiverCache {
  const known = new Map<string, { receiver: Receiver; readAt: number }>()
  /** The set contains ids of receivers that exist. Invented ids are not added, so it stays small. */
  const knownIds = new Set<string>()
  /** Change notifications are counted: a row that was read while one arrived may be outdated. */
  let notifications = 0
  const read = batchReads((ids) => readReceivers(pool, ids))
  const unsubscribe = [
    listener.subscribe('receiver', (id) => {
      notifications += 1
      known.delete(id)
    }),
    listener.onListening(() => {
      notifications += 1
      known.clear()
    }),
  ]

  async function load(id: string) {
    const readAt = performance.now()
    const notificationsBefore = notifications
    const row = await read(id)
    if (row !== undefined) knownIds.add(id)
    const receiver = row ?? null
    if (receiver && notifications === notificationsBefore) known.set(id, { receiver, readAt })
    else known.delete(id)
    return receiver
  }

  return {
    cached(id) {
      const found = known.get(id)
      if (!found) return
      const age = performance.now() - found.readAt
      if (age > maxAgeMs / 2) void load(id).catch(notReread)
      return age < maxAgeMs ? found.receiver : undefined
    },
    load,
    isKnown: (id) => knownIds.has(id),
    async redigest({ id, secret: old }, { digest, keyId }) {
      if (!old) return
      await pool.query(
        'UPDATE receiver SET secret_digest = $2, secret_key_id = $3 WHERE id = $1 AND secret_digest = $4',
        [id, digest, keyId, old.digest],
      )
    },
    close() {
      for (const stop of unsubscribe) stop()
    },
  }
}

const notReread = (error: unknown) =>
  limited.warn(causeOf(error), { err: error }, 'A receiver could not be read again in advance')

/** The error is ignored here, because every caller awaits the same promise and gets it. */
const leaveToAskers = () => undefined

/** `batchReads` merges concurrent reads into one query, with a minimum interval between queries. */
function batchReads<T>(read: (ids: string[]) => Promise<Map<string, T>>) {
  let next: { ids: Set<string>; found: Promise<Map<string, T>> } | undefined
  let running: Promise<unknown> = Promise.resolve()
  return async (id: string): Promise<T | undefined> => {
    if (!next) {
      const ids = new Set<string>()
      const found = running.then(() => {
        next = undefined
        return read([...ids])
      })
      next = { ids, found }
      const pause = running.then(() => new Promise((resolve) => setTimeout(resolve, minIntervalMs)))
      running = Promise.all([pause, found.catch(leaveToAskers)])
    }
    next.ids.add(id)
    return (await next.found).get(id)
  }
}

/** A closed receiver is null. */
async function readReceivers(pool: pg.Pool, ids: string[]): Promise<Map<string, Receiver | null>> {
  const { rows } = await pool.query<ReceiverRow>(
    'SELECT id, state, secret_digest, secret_key_id FROM receiver WHERE id = ANY($1::uuid[])',
    [ids],
  )
  return new Map(rows.map((row) => [row.id, toReceiver(row)]))
}

interface ReceiverRow {
  readonly id: string
  readonly state: string
  readonly secret_digest: Buffer | null
  readonly secret_key_id: string | null
}

function toReceiver(row: ReceiverRow): Receiver | null {
  const { id, secret_digest: digest, secret_key_id: keyId } = row
  const state = parseReceiverState(row.state)
  return takesDeliveries(state) ? { id, state, secret: digest && keyId ? { digest, keyId } : null } : null
}
