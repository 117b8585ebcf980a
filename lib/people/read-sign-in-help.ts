import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { showValue } from '#lib/access/rules/visibility.ts'
import { type CodeRequestView, listCodeRequests } from '#lib/audit/histories.ts'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import { type CodeWaits, readCodeWaits } from '#lib/identity/sign-in/code-limits.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { bodyOf } from '#lib/platform/db/sql-text.ts'

/** Support helps somebody who cannot sign in with these facts. Times are ISO 8601. */
export interface SignInHelp {
  /** These codes were asked for in the last day, newest first. */
  readonly codes: readonly CodeRequestView[]
  /** These callers have to wait before the next code. */
  readonly waits: CodeWaits
  /** The latest unused code was sent then; null when none was within a day. */
  readonly codeSentAt: string | null
  /** Strangers last used up their daily attempts with codes then; null when they did not. */
  readonly strangersStoppedAt: string | null
  /** The wallet given at sign-up may sign in (`usable`) or not; null when none was given here. */
  readonly signUpWallet: 'waiting' | 'usable' | 'refused' | null
  /** This mail bounced last (§6.6); null when none did. */
  readonly bounce: {
    readonly at: string
    readonly failureType: string | null
    readonly diagnosticCode: string | null
  } | null
  /** Sessions that last come first, then the newest, at most 20. */
  readonly sessions: readonly PersonSessionView[]
}

export interface PersonSessionView {
  readonly id: string
  readonly method: string
  readonly startedAt: string
  readonly lastSeenAt: string
  readonly userAgent: string | null
  /** The text is null while the session lasts; otherwise `expired`, or why it ended. */
  readonly ended: string | null
}

/** The directory knows the person. The caller has checked access. */
export async function readSignInHelp(role: Role, userUuid: string): Promise<SignInHelp> {
  const [asked, waits, codes, strangers, signUps, bounces, sessions] = await Promise.all([
    listCodeRequests(userUuid),
    readCodeWaits(userUuid, Date.now()),
    pool().query<{ sent_at: Date }>(
      'SELECT sent_at FROM code_request WHERE user_uuid = $1 ORDER BY sent_at DESC LIMIT 1',
      [userUuid],
    ),
    pool().query<{ at: Date | null }>('SELECT max(at) AS at FROM stranger_alarm WHERE user_uuid = $1', [
      userUuid,
    ]),
    pool().query<{ wallet_state: SignInHelp['signUpWallet'] }>(
      'SELECT wallet_state FROM sign_up WHERE user_uuid = $1',
      [userUuid],
    ),
    pool().query<{ last_received_at: Date; body: Buffer | null }>(BOUNCE, [userUuid]),
    pool().query<SessionRow>(SESSIONS, [userUuid]),
  ])
  const [bounce] = bounces.rows
  return {
    codes: asked,
    waits,
    codeSentAt: codes.rows[0]?.sent_at.toISOString() ?? null,
    strangersStoppedAt: strangers.rows[0]?.at?.toISOString() ?? null,
    signUpWallet: signUps.rows[0]?.wallet_state ?? null,
    bounce: bounce ? { at: bounce.last_received_at.toISOString(), ...diagnosisOf(role, bounce.body) } : null,
    sessions: sessions.rows.map(toSessionView),
  }
}

/** A mail server's own text often names the address. */
function diagnosisOf(role: Role, body: Buffer | null) {
  const reading = body && parseEnvelope(body)
  const data = reading?.kind === 'envelope' ? reading.envelope.data : null
  return {
    failureType: textField(data, 'failureType'),
    diagnosticCode: showValue(role, 'person', textField(data, 'diagnosticCode')),
  }
}

interface SessionRow {
  readonly id: string
  readonly method: string
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly user_agent: string | null
  readonly ended: string | null
}

const toSessionView = (row: SessionRow): PersonSessionView => ({
  id: row.id,
  method: row.method,
  startedAt: row.created_at.toISOString(),
  lastSeenAt: row.last_seen_at.toISOString(),
  userAgent: row.user_agent,
  ended: row.ended,
})

const BOUNCE = `
  WITH kept AS MATERIALIZED (
    SELECT id, last_received_at, envelope FROM event
    WHERE entity_uuid = $1 AND type = 'otpNotification' ORDER BY id DESC LIMIT 1
  ) SELECT last_received_at, ${bodyOf('kept')} AS body FROM kept`

const SESSIONS = `
  SELECT id, method, created_at, last_seen_at, user_agent,
         CASE WHEN ended_at IS NOT NULL THEN COALESCE(end_reason, 'ended')
              WHEN LEAST(idle_expires_at, expires_at) < now() THEN 'expired' END AS ended
  FROM session WHERE user_uuid = $1
  ORDER BY (ended_at IS NULL AND LEAST(idle_expires_at, expires_at) >= now()) DESC, created_at DESC LIMIT 20`
