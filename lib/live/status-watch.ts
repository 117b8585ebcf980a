import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { readStatus, type Status, statusFor } from '#lib/operations/status/status.ts'
import { changeChannel } from '#lib/platform/change-notification.ts'
import type { Listener } from '#lib/platform/db/listen.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { sendToEach } from './change-broadcast.ts'

/** Reads once for all viewers how deliveries and the service stand, and sends it to each when it has changed. */
export interface StatusWatch {
  /** Sends what is known at once. The answer forgets the viewer. */
  join(role: Role, send: (bytes: Buffer) => void): () => void
  /** The last that was read, as this viewer may know it. */
  latest(role: Role): Buffer | null
  /** What was read less than this many milliseconds ago; null when nothing was, or it could not be read since. */
  recent(ms: number): Status | null
  /** Looks in any case, as nothing announces that time has passed. */
  look(): void
  close(): void
}

/** Milliseconds between two looks while deliveries arrive. */
const lookEvery = 5_000

/** Milliseconds after which a change that came during a look is looked at. */
const lookAgainAfter = 100

/** Looks that fail one after the other before viewers are told: with the database away, two heartbeats. */
const toldAfter = 2

/** Nor is it said that nothing needs a look. */
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
} as const satisfies Omit<Status, 'at'>

/** What a trigger of the table `gap` and of the state of the service announces. */
export const statusChannel = 'status_changed'

const limited = limitedLog(logOf('live'))

export function watchStatus(source: Listener, read: () => Promise<Status> = readStatus): StatusWatch {
  const viewers = new Set<{ readonly role: Role; readonly send: (bytes: Buffer) => void }>()
  let known: { readonly status: Status; readonly text: string; readonly at: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let lookedAt = Number.NEGATIVE_INFINITY
  let failures: { readonly count: number; readonly since: string } | null = null

  /** While nobody watches nobody looks. */
  function request(after: number) {
    if (viewers.size === 0 || timer !== undefined) return
    timer = setTimeout(look, Math.max(0, after - performance.now()))
  }

  async function look() {
    timer = undefined
    if (looking) return request(performance.now() + lookAgainAfter)
    looking = true
    lookedAt = performance.now()
    const since = new Date().toISOString()
    try {
      const status = await read()
      failures = null
      keep(status, performance.now())
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'How deliveries stand could not be read; it is again')
      failures = { count: (failures?.count ?? 0) + 1, since: failures?.since ?? since }
      if (failures.count === toldAfter) keepUnread(failures.since)
    }
    looking = false
  }

  function keep(status: Status, at: number) {
    const text = JSON.stringify({ ...status, at: 0 })
    const changed = text !== known?.text
    known = { status, text, at }
    if (changed) tellAll()
  }

  /**
   * Viewers keep what this process knew before, marked as old: nothing, where it has just begun. A page that is made meanwhile
   * reads for itself.
   */
  function keepUnread(unreadSince: string) {
    const { health, counts } = known?.status ?? nothingKnown
    keep({ at: Date.now(), health: { ...health, unreadSince }, counts }, Number.NEGATIVE_INFINITY)
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
    source.subscribe(changeChannel, () => request(lookedAt + lookEvery)),
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
      request(lookedAt + lookEvery)
      return () => viewers.delete(viewer)
    },
    latest,
    recent: (ms) => (known && performance.now() - known.at < ms ? known.status : null),
    look: () => request(performance.now()),
    close() {
      clearTimeout(timer)
      for (const stop of forget) stop()
    },
  }
}
