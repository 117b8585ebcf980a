import 'server-only'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role, StaffRole } from '#lib/access/rules/roles.ts'
import { showValue } from '#lib/access/rules/visibility.ts'
import { type CodeRequestView, listCodeRequests } from '#lib/audit/list-audit.ts'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { isCompanyType } from '#lib/deliveries/rules/event-types.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import { type CodeWaits, readCodeWaits } from '#lib/identity/sign-in/code-limits.ts'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { listWallets, type WalletsView } from '#lib/identity/users/list-wallets.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import type { FoundSubject } from '#lib/search/found.ts'
import { readSubjects } from '#lib/search/read-subjects.ts'
import { ServiceError, serviceRefusal } from '#lib/service/errors.ts'
import { getUser, type ServiceUser } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import { readBounces } from './bounces.ts'
import { type PersonRow, type PersonView, personColumns, toPersonView } from './list-people.ts'
import { readStandings, type StandingView } from './standings/standings.ts'

/** The page of one person or company shows all this beside the transactions and the timeline. */
export interface PersonDetailsView extends WalletsView {
  readonly userUuid: string
  /** The uuid is no user of the service, and people or events speak of it as a company. */
  readonly isCompany: boolean
  /** The directory holds this person; null for a company, and for a user whom the service would not name. */
  readonly person: PersonView | null
  readonly profile: ProfileView
  readonly accounts: readonly FoundSubject[]
  /** Each standing is the status of the person or company itself by one type, newest first. */
  readonly standings: readonly StandingView[]
  /** A person has companies, a company has people. The newest come first, at most 100. */
  readonly companies: readonly string[]
  readonly people: readonly PersonView[]
  readonly signIn: SignInHelp | null
}

/**
 * The page of one person; null for a uuid that neither the directory nor any event knows. The audit records that it
 * was read. Throws `NotAllowed`.
 */
export async function getPerson(
  caller: Caller,
  userUuid: string,
  source: CallSource,
): Promise<PersonDetailsView | null> {
  requirePermission(caller, 'see-everything')
  if (!isLowerCaseUuid(userUuid)) return null
  const [row, people, known] = await Promise.all([
    findRow(userUuid),
    listPeopleOf(userUuid),
    isNamedByEvents(userUuid),
  ])
  if (!row && !known && people.length === 0) return null
  await noteReading(caller, userUuid, source)
  const profile = await readProfile(userUuid, caller.role)
  const [fresh, wallets, accounts, standings, signIn] = await Promise.all([
    profile.kind === 'read' ? findRow(userUuid) : row,
    listWallets(caller.role, userUuid),
    listAccountsOfPerson(caller.role, userUuid),
    readStandings(caller.role, userUuid),
    readSignInHelp(caller.role, userUuid),
  ])
  return {
    userUuid,
    isCompany: !fresh && (people.length > 0 || standings.some(({ type }) => isCompanyType(type))),
    person: fresh && toPersonView(fresh, caller.role),
    profile,
    ...wallets,
    accounts,
    standings,
    ...showRecord(caller.role, 'person', { companies: fresh?.linked_corporates ?? [] }),
    people: people.map((one) => toPersonView(one, caller.role)),
    signIn: fresh ? signIn : null,
  }
}

interface LinkedRow extends PersonRow {
  readonly linked_corporates: string[] | null
}

const findRow = async (userUuid: string): Promise<LinkedRow | null> =>
  (await pool().query<LinkedRow>(PERSON, [userUuid])).rows[0] ?? null

const listPeopleOf = async (company: string): Promise<PersonRow[]> =>
  (await pool().query<PersonRow>(PEOPLE_OF, [company])).rows

const isNamedByEvents = async (userUuid: string): Promise<boolean> =>
  (await pool().query('SELECT FROM event WHERE entity_uuid = $1 LIMIT 1', [userUuid])).rows.length > 0

const PERSON = `SELECT ${personColumns}, linked_corporates FROM person WHERE user_uuid = $1`

const PEOPLE_OF = `
  SELECT ${personColumns} FROM person WHERE linked_corporates @> ARRAY[$1::uuid] ORDER BY created_at DESC LIMIT 100`

/** The service returns the person's profile, or the page says why it does not. */
type ProfileView =
  | {
      readonly kind: 'read'
      /** These fields are masked for roles that may not see them. */
      readonly dateOfBirth: string | null
      readonly address: readonly string[]
    }
  /** The service knows no such user, for example because the uuid is a company's. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly title: string; readonly next: string }

/** The profile comes from the service (§4.3), and the directory is updated with it. */
async function readProfile(userUuid: string, role: StaffRole): Promise<ProfileView> {
  try {
    const user = await getUser(serviceClient(), { userUuid })
    await inTransaction(pool(), (tx) => saveToDirectory(tx, { ...user, userUuid }, 'delivery'))
    return toView(user, role)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'not-found') return { kind: 'unknown' }
    return { kind: 'unavailable', ...wordRefusal('en', serviceRefusal(error, 'get-user')) }
  }
}

const toView = ({ dateOfBirth, address }: ServiceUser, role: StaffRole): ProfileView => ({
  kind: 'read',
  ...showRecord(role, 'person', { dateOfBirth, address }),
})

/** Events of a person are about these bank accounts, newest first, at most 50. The caller has checked access. */
async function listAccountsOfPerson(role: StaffRole, userUuid: string): Promise<FoundSubject[]> {
  const { rows } = await pool().query<{ subject_id: string }>(ACCOUNTS, [userUuid])
  const ids = rows.map((row) => row.subject_id)
  const subjects = await readSubjects(role, ids)
  return ids.flatMap((id) => subjects.get(id) ?? [])
}

/** `starts_with` would make the planner read all accounts of all people. */
const ACCOUNTS = `
  SELECT subject_id FROM identifier WHERE value = $1 AND split_part(subject_id, ':', 1) = 'bank-account'
  ORDER BY started_at DESC LIMIT 50`

/** An open page is read again and again; within this many milliseconds one audit entry covers all readings. */
const oneReading = 15 * 60_000

/** This many readings are remembered. Beyond them, some are recorded twice. */
const mostRemembered = 10_000

const readings = new Map<string, number>()

/** The audit records that somebody reads a person's data, once in 15 minutes for each session and person. */
async function noteReading(caller: Caller, userUuid: string, source: CallSource): Promise<void> {
  const reading = `${caller.sessionId} ${userUuid}`
  const now = performance.now()
  if (now - (readings.get(reading) ?? Number.NEGATIVE_INFINITY) < oneReading) return
  await recordAuditAlone({ actor: caller, action: 'read.person', target: userUuid, outcome: 'done' }, source)
  if (readings.size >= mostRemembered) readings.clear()
  readings.set(reading, now)
}

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
  /** This mail bounced last (§6.6); null when none did. It `lasts` until a later code was used. */
  readonly bounce: {
    readonly at: string
    readonly lasts: boolean
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
async function readSignInHelp(role: Role, userUuid: string): Promise<SignInHelp> {
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
    readBounces([userUuid]),
    pool().query<SessionRow>(SESSIONS, [userUuid, new Date()]),
  ])
  const bounce = bounces.get(userUuid)
  return {
    codes: asked,
    waits,
    codeSentAt: codes.rows[0]?.sent_at.toISOString() ?? null,
    strangersStoppedAt: strangers.rows[0]?.at?.toISOString() ?? null,
    signUpWallet: signUps.rows[0]?.wallet_state ?? null,
    bounce: bounce
      ? { at: bounce.at.toISOString(), lasts: bounce.lasts, ...diagnosisOf(role, bounce.body) }
      : null,
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

const SESSIONS = `
  SELECT id, method, created_at, last_seen_at, user_agent,
         CASE WHEN ended_at IS NOT NULL THEN COALESCE(end_reason, 'ended')
              WHEN LEAST(idle_expires_at, expires_at) < $2::timestamptz THEN 'expired' END AS ended
  FROM session WHERE user_uuid = $1
  ORDER BY (ended_at IS NULL AND LEAST(idle_expires_at, expires_at) >= $2::timestamptz) DESC, created_at DESC LIMIT 20`
