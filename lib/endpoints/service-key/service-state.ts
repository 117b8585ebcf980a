import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { pool } from '#lib/platform/db/pool.ts'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/setting-rows.ts'

/** What came of the last look at the service with the merchant's API key. */
export type LookOutcome = 'seen' | 'key-refused' | 'unanswered'

/** Whether the service answers and takes the API key, as the watcher saw it last. Times are ISO 8601. */
export interface ServiceState {
  readonly look: LookOutcome
  /** Since when it has been so. */
  readonly since: string
  readonly lookedAt: string
  /** When the service last listed its endpoints; null when it never did. */
  readonly seenAt: string | null
}

/** Milliseconds after which a look is overdue: one comes each minute, and another watcher takes over within 3.5 minutes. */
const overdueAfterMs = 4 * 60_000

/**
 * Since when nobody has looked at the service, as ISO 8601: silence is not noticed and the state is an old one. Null while
 * looks come, and while this process has run too briefly to expect one.
 * @param startedAt when this process started, in ms since 1970
 */
export function unwatchedSince(
  state: ServiceState | null,
  now = Date.now(),
  startedAt = performance.timeOrigin,
): string | null {
  const last = state ? Date.parse(state.lookedAt) : startedAt
  return now - Math.max(last, startedAt) > overdueAfterMs ? new Date(last).toISOString() : null
}

/** Null until the watcher has looked once. */
export async function readServiceState(
  database: Pick<pg.Pool, 'query'> = pool(),
): Promise<ServiceState | null> {
  return StateSchema.safeParse(await readSettingRow(database, rowKey)).data ?? null
}

/**
 * Keeps what came of a look; while it stays the same it goes on since the first.
 * @param before what was kept until now
 * @param now in ms since 1970
 */
export async function recordLook(
  client: pg.ClientBase,
  look: LookOutcome,
  before: ServiceState | null,
  now: number,
): Promise<ServiceState> {
  const lookedAt = new Date(now).toISOString()
  const state: ServiceState = {
    look,
    since: before?.look === look ? before.since : lookedAt,
    lookedAt,
    seenAt: look === 'seen' ? lookedAt : (before?.seenAt ?? null),
  }
  await keepSettingRow(client, rowKey, state)
  return state
}

/** The service took another key than the one that it refused: kept in the transaction of whoever gave it. */
export async function recordTaken(tx: pg.ClientBase): Promise<void> {
  const before = StateSchema.safeParse(await readSettingRow(tx, rowKey)).data
  if (before?.look !== 'key-refused') return
  const { rows } = await tx.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  const now = (rows[0]?.now ?? new Date()).toISOString()
  const state: ServiceState = { ...before, look: 'seen', since: now, lookedAt: now }
  await keepSettingRow(tx, rowKey, state)
}

const rowKey = 'service-state'

const StateSchema = z.object({
  look: z.enum(['seen', 'key-refused', 'unanswered']),
  since: z.iso.datetime(),
  lookedAt: z.iso.datetime(),
  seenAt: z.iso.datetime().nullable(),
})
