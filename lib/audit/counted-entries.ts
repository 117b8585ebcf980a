import 'server-only'
import type pg from 'pg'
import type { Caller } from '#lib/access/caller.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool, repeatOnFailOver } from '#lib/platform/db/pool.ts'
import { type AuditAction, type AuditEntry, recordAudit } from './record-audit.ts'

/** A counted entry is written once a minute for each person and thing, with the number of times it happened. */
interface CountedEntry {
  readonly action: Extract<AuditAction, `read.${string}` | 'access.denied' | 'search'>
  /** `target` was read or asked for; it is missing when everything was. */
  readonly target?: string
  /** `person` is the owner of the data that was read, when known. */
  readonly person?: string | null
  readonly outcome: Extract<AuditEntry['outcome'], 'done' | 'refused'>
}

/**
 * Equal events are counted together; `enterCounted` writes them to the audit when the minute is over. `caller`
 * is null for somebody who is not signed in.
 */
export async function countAudit(
  caller: Caller | null,
  { action, target = '', person = null, outcome }: CountedEntry,
  times = 1,
  database: Pick<pg.Pool, 'query'> = pool(),
): Promise<void> {
  const who = [caller?.id ?? nobody, caller?.role ?? '', caller?.sessionId ?? null]
  const values = [...who, action, target.slice(0, 300), outcome, times, person]
  // A page that is read during a fail-over is counted twice at worst.
  await repeatOnFailOver(database, () => database.query(COUNT, values))
}

/** The counter stores this for an unknown actor. */
const nobody = ''

/** A person may have two sessions in one minute. The entry then names no source, rather than that of one of them. */
const COUNT = `
  INSERT INTO audit_counter (minute, actor, actor_role, session_id, action, target, outcome, count, person)
  VALUES (date_trunc('minute', now()), $1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (minute, actor, action, target) DO UPDATE SET count = audit_counter.count + EXCLUDED.count,
    person = COALESCE(EXCLUDED.person, audit_counter.person),
    session_id = CASE WHEN audit_counter.session_id = EXCLUDED.session_id THEN EXCLUDED.session_id END`

/**
 * A page with somebody's personal data was read, by a role that gets it unmasked. `person` owns the data; null
 * when nobody is known.
 */
export async function countReading(
  caller: Caller,
  action: Extract<CountedEntry['action'], `read.${string}`>,
  target: string,
  person: string | null,
): Promise<void> {
  if (visibilityOf(caller.role, 'person') !== 'plain') return
  await countAudit(caller, { action, target, person: person?.toLowerCase() ?? null, outcome: 'done' })
}

/** One transaction takes this many rows. */
const portion = 500

/**
 * The counts of finished minutes go into the audit, one row for each minute, person and thing. Counts that are
 * not written yet survive a crash. The result is the number of entries.
 */
export async function enterCounted(pool: pg.Pool): Promise<number> {
  for (let entered = 0; ; ) {
    const taken = await inTransaction(pool, async (tx) => {
      const { rows } = await tx.query<CountedRow>(TAKE, [portion])
      for (const row of rows) await recordAudit(tx, entryOf(row), { ip: row.ip, userAgent: row.user_agent })
      return rows.length
    })
    entered += taken
    if (taken < portion) return entered
  }
}

interface CountedRow {
  readonly minute: Date
  readonly actor: string
  readonly actor_role: string
  readonly action: AuditEntry['action']
  readonly target: string
  readonly person: string | null
  readonly outcome: AuditEntry['outcome']
  readonly count: number
  readonly ip: string | null
  readonly user_agent: string | null
}

const entryOf = ({
  minute,
  actor,
  actor_role,
  action,
  target,
  person,
  outcome,
  count,
}: CountedRow): AuditEntry => ({
  actor: actor === nobody ? null : { id: actor, role: actor_role },
  action,
  ...(target === '' ? {} : { target }),
  outcome,
  details: { count, minute: minute.toISOString(), ...(person !== null && { person }) },
})

/** The source of the call is the one that opened the session. */
const TAKE = `
  WITH taken AS (
    DELETE FROM audit_counter WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM audit_counter WHERE minute < date_trunc('minute', now())
      ORDER BY minute LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING *
  )
  SELECT taken.minute, taken.actor, taken.actor_role, taken.action, taken.target, taken.person, taken.outcome, taken.count,
         session.ip, session.user_agent FROM taken LEFT JOIN session ON session.id = taken.session_id
  ORDER BY minute, actor, action, target`

/**
 * `countRefusedSignIns` counts the sign-ins that were refused in the last minutes. Of many by strangers, the audit has only
 * the first ones as entries, and the others as numbers.
 */
export async function countRefusedSignIns(
  database: Pick<pg.Pool, 'query'>,
  minutes: number,
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(REFUSED, [minutes])
  return rows[0]?.count ?? 0
}

/** Counted refusals name the place of a sign-in, and stay in `audit_counter` until their minute is over. */
const counted = `action = 'access.denied' AND target LIKE 'sign-in by %'`

/** The first condition repeats that of the index `audit_refused_sign_in_idx`. */
const REFUSED = `
  SELECT ((SELECT count(*) FROM audit
      WHERE action = 'session.start' AND outcome = 'refused' AND at >= now() - $1 * interval '1 minute')
    + (SELECT COALESCE(sum((details ->> 'count')::int), 0) FROM audit
      WHERE ${counted} AND at >= now() - $1 * interval '1 minute')
    + (SELECT COALESCE(sum(count), 0) FROM audit_counter
      WHERE ${counted} AND minute >= now() - $1 * interval '1 minute'))::int AS count`
