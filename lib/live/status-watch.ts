import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { readStatus, type Status, statusFor } from '#lib/operations/status/status.ts'
import { changeChannel } from '#lib/platform/change-notification.ts'
import type { Listener } from '#lib/platform/db/listen.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { sendToEach } from './change-broadcast.ts'

/** `StatusWatch` reads the status once for all viewers, and sends it to each when it has changed. */
export interface StatusWatch {
  /** `join` sends the known status at once. Its result removes the viewer. */
  join(role: Role, send: (bytes: Buffer) => void): () => void
  /** `latest` is the last status that was read, as this role may see it. */
  latest(role: Role): Buffer | null
  /**
   * `recent` is the status that was read within this many milliseconds; null when none was, or when it could not be
   * read since.
   */
  recent(ms: number): Status | null
  /** `check` reads the status in any case, because no notification tells that time has passed. */
  check(): void
  close(): void
}

/** Reads are this many milliseconds apart while deliveries arrive. */
const checkEveryMs = 5_000

/** A change during a read causes another read after this many milliseconds. */
const checkAgainAfter = 100

/** Viewers are told after this many failed reads in a row. With the database unreachable, that takes two rounds. */
const sentAfter = 2

/** The counts are null as well: nobody knows that nothing needs attention. */
const nothingKnown = {
  health: {
    unreadSince: null,
    lastDeliveryAt: null,
    receiving: null,
    behindSince: null,
    gap: null,
    service: null,
    unwatchedSince: null,
  },
  counts: {
    held: null,
    people: null,
    checks: null,
    accounts: null,
    companies: null,
    gaps: null,
    endpoints: null,
  },
  alerts: null,
} as const satisfies Omit<Status, 'at'>

/** Triggers of the tables `gap` and `alert` and of the service's state notify this channel. */
export const statusChannel = 'status_changed'

const limited = limitedLog(logOf('live'))

export function watchStatus(source: Listener, read: () => Promise<Status> = readStatus): StatusWatch {
  const viewers = new Set<{ readonly role: Role; readonly send: (bytes: Buffer) => void }>()
  let known: { readonly status: Status; readonly text: string; readonly at: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let checkedAt = Number.NEGATIVE_INFINITY
  let failures: { readonly count: number; readonly since: string } | null = null

  /** The status is not read while there are no viewers. */
  function request(after: number) {
    if (viewers.size === 0 || timer !== undefined) return
    timer = setTimeout(check, Math.max(0, after - performance.now()))
  }

  async function check() {
    timer = undefined
    if (looking) return request(performance.now() + checkAgainAfter)
    looking = true
    checkedAt = performance.now()
    const since = new Date().toISOString()
    try {
      const status = await read()
      failures = null
      keep(status, performance.now())
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'How deliveries stand could not be read; it is again')
      failures = { count: (failures?.count ?? 0) + 1, since: failures?.since ?? since }
      if (failures.count === sentAfter) keepUnread(failures.since)
    } finally {
      looking = false
    }
  }

  function keep(status: Status, at: number) {
    const text = JSON.stringify({ ...status, at: 0 })
    const changed = text !== known?.text
    known = { status, text, at }
    if (changed) tellAll()
  }

  /**
   * Viewers keep the last known status, marked as old, or an empty one after a start. A page that is made meanwhile
   * reads the status itself.
   */
  function keepUnread(unreadSince: string) {
    const { health, counts, alerts } = known?.status ?? nothingKnown
    // The database's clock, which dates statuses, is not to be had now.
    const at = known ? known.status.at + performance.now() - known.at : Date.now()
    keep({ at, health: { ...health, unreadSince }, counts, alerts }, Number.NEGATIVE_INFINITY)
  }

  function tellAll() {
    for (const [role, ofRole] of Map.groupBy(viewers, (viewer) => viewer.role)) {
      const bytes = latest(role)
      if (bytes) sendToEach(ofRole, bytes)
    }
  }

  function latest(role: Role): Buffer | null {
    const status = known && statusFor(role, known.status)
    return status && Buffer.from(`event: status\ndata: ${JSON.stringify(status)}\n\n`)
  }

  const forget = [
    source.subscribe(changeChannel, () => request(checkedAt + checkEveryMs)),
    source.subscribe(statusChannel, () => {
      clearTimeout(timer)
      timer = undefined
      request(performance.now())
    }),
  ]

  return {
    join(role, send) {
      const viewer = { role, send }
      viewers.add(viewer)
      const bytes = latest(role)
      if (bytes) send(bytes)
      request(checkedAt + checkEveryMs)
      return () => viewers.delete(viewer)
    },
    latest,
    recent: (ms) => (known && performance.now() - known.at < ms ? known.status : null),
    check: () => request(performance.now()),
    close() {
      clearTimeout(timer)
      for (const stop of forget) stop()
    },
  }
}
