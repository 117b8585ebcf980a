import 'server-only'
import type pg from 'pg'
import type { Caller } from '#lib/access/caller.ts'
import { membershipOf } from '#lib/identity/members/membership.ts'
import type { Listener } from '#lib/platform/db/listen.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

/** `SessionWatch` ends streams when their session ends. A stream does not extend its session. */
export interface SessionWatch {
  /**
   * `add` calls `end` once: when the session has ended or expired, or the role has changed. Its result stops the watch.
   */
  add(caller: Caller, end: () => void): () => void
  /** `checkAll` checks every session, in case a notification was lost. */
  checkAll(): void
  close(): void
}

interface Watched {
  readonly caller: Caller
  readonly ends: Set<() => void>
  // biome-ignore lint/plugin: set again each time the session lasts longer
  expiry?: NodeJS.Timeout
}

/** A check that the database did not answer is repeated after this many milliseconds. */
const retryAfter = 500

/** A timer waits at most this many milliseconds. Sessions that last longer are checked before. */
const maxTimer = 3_600_000

const limited = limitedLog(logOf('live'))

export function watchSessions(pool: pg.Pool, listener: Listener): SessionWatch {
  const sessions = new Map<string, Watched>()
  /** One query checks all of these sessions next. */
  let toCheck = new Set<string>()
  let checking = false
  let closed = false

  function check(ids: Iterable<string>) {
    for (const id of ids) toCheck.add(id)
    if (checking || toCheck.size === 0) return
    checking = true
    setImmediate(checkAll)
  }

  async function checkAll() {
    const ids = [...toCheck].filter((id) => sessions.has(id))
    toCheck = new Set()
    let again = 0
    try {
      const { rows } = await pool.query<SessionRow>(SELECT_SESSIONS, [ids, new Date()])
      const standing = new Map(rows.map((row) => [row.id, row]))
      for (const id of ids) judge(id, standing.get(id))
    } catch (error) {
      limited.warn(
        causeOf(error),
        { err: error },
        'The sessions of streams could not be looked at; they are again',
      )
      for (const id of ids) toCheck.add(id)
      again = retryAfter
    }
    if (again > 0) await new Promise((resolve) => setTimeout(resolve, again).unref())
    checking = false
    if (!closed) check([])
  }

  function judge(id: string, row: SessionRow | undefined) {
    const watched = sessions.get(id)
    if (!watched) return
    clearTimeout(watched.expiry)
    const stands = row !== undefined && row.left > 0 && roleOf(row, watched.caller) === watched.caller.role
    if (!stands) return endAll(id)
    watched.expiry = setTimeout(() => check([id]), Math.min(row.left + 1, maxTimer)).unref()
  }

  function endAll(id: string) {
    const watched = sessions.get(id)
    sessions.delete(id)
    clearTimeout(watched?.expiry)
    for (const end of watched?.ends ?? []) end()
  }

  const all = () => check(sessions.keys())
  const forget = [
    listener.subscribe('session_ended', endAll),
    // The notification has both ids of the member, since somebody may have become a member just now.
    listener.subscribe('member_changed', (ids) => {
      const changed = ids.split(' ')
      for (const [id, { caller }] of sessions)
        if ([caller.memberId, caller.userUuid].some((known) => known !== null && changed.includes(known)))
          check([id])
    }),
    listener.onListening(all),
  ]

  return {
    add(caller, end) {
      const watched = sessions.get(caller.sessionId) ?? { caller, ends: new Set() }
      sessions.set(caller.sessionId, watched)
      watched.ends.add(end)
      // The session may have ended between the lookup of the caller and now.
      check([caller.sessionId])
      return () => {
        watched.ends.delete(end)
        if (watched.ends.size > 0) return
        clearTimeout(watched.expiry)
        if (sessions.get(caller.sessionId) === watched) sessions.delete(caller.sessionId)
      }
    },
    checkAll: all,
    close() {
      closed = true
      for (const stop of forget) stop()
      for (const { expiry } of sessions.values()) clearTimeout(expiry)
    },
  }
}

interface SessionRow {
  readonly id: string
  /** The session expires after this many milliseconds. */
  readonly left: number
  readonly member_id: string | null
  readonly role: string | null
  readonly joined_at: Date | null
  readonly removed_at: Date | null
}

/** The role is null when a person without an account is not a member any more. */
function roleOf({ member_id, role, joined_at, removed_at }: SessionRow, { userUuid, method }: Caller) {
  const member =
    member_id !== null && role !== null
      ? { id: member_id, role, joinedAt: joined_at, removedAt: removed_at, name: '', email: null }
      : null
  const now = membershipOf({ userUuid, method }, member)
  return userUuid === null && now.memberId === null ? null : now.role
}

const SELECT_SESSIONS = `
  SELECT session.id, member.id AS member_id, member.role, joined_at, removed_at,
         extract(epoch FROM LEAST(idle_expires_at, expires_at) - $2::timestamptz)::float8 * 1000 AS left
  FROM session LEFT JOIN member
    ON member.id = session.member_id OR (session.member_id IS NULL AND member.user_uuid = session.user_uuid)
  WHERE session.id = ANY($1::uuid[]) AND ended_at IS NULL`
