import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'
import type { QuietHours } from '../rules/quiet-hours.ts'
import { QuietSchema, quietFields, quietOf } from './channel-store.ts'

/** A member gets e-mails about all alerts of their role, only about urgent ones, or none. */
const receivings = ['all', 'urgent', 'none'] as const

type Receiving = (typeof receivings)[number]

/** Admins get all e-mails until they choose, and other members none. */
const defaultOf = (role: Role): Receiving => (role === 'admin' ? 'all' : 'none')

/** The page shows the caller's own choice in this form. */
export interface AlertReceivingView {
  readonly receives: Receiving
  readonly quiet: QuietHours | null
  /** The e-mails go to this address; null when the member has none. */
  readonly address: string | null
  /** False when no mail server is set. */
  readonly isMailSet: boolean
}

/** `readAlertReceiving` reads what the caller receives by e-mail. It throws `NotAllowed`, also for callers who are no members. */
export async function readAlertReceiving(caller: Caller): Promise<AlertReceivingView> {
  requirePermission(caller, 'see-alerts')
  const { rows } = await pool().query<MemberRow>(`${MEMBERS} AND member.id = $1`, [requireMember(caller)])
  const row = rows[0]
  return {
    receives: receivingOf(row?.receives ?? null, caller.role),
    quiet: QuietSchema.nullable().parse(row?.quiet ?? null),
    address: addressOf(row?.emails ?? []),
    isMailSet: env().mail !== null,
  }
}

export const ChangeAlertReceivingSchema = z.object({
  receives: z.enum(receivings, 'Choose one.'),
  ...quietFields,
})

/** `changeAlertReceiving` changes what the caller receives by e-mail. It throws `NotAllowed` and `InvalidInput`. */
export async function changeAlertReceiving(
  caller: Caller,
  { receives, ...times }: z.output<typeof ChangeAlertReceivingSchema>,
  source: CallSource,
): Promise<{ readonly receives: Receiving }> {
  requirePermission(caller, 'see-alerts')
  const memberId = requireMember(caller)
  const quiet = quietOf(times)
  await inTransaction(pool(), async (tx) => {
    await tx.query(CHANGE, [memberId, receives, quiet && JSON.stringify(quiet)])
    const entry = { actor: caller, action: 'alert.receive', target: memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { receives, quiet: quiet !== null } }, source)
  })
  return { receives }
}

/** Throws `NotAllowed`. */
function requireMember({ memberId }: Caller): string {
  if (memberId === null) throw new NotAllowed()
  return memberId
}

/** A member gets e-mails about alerts at this address. */
export interface AlertMember {
  readonly memberId: string
  readonly role: Role
  readonly receives: Exclude<Receiving, 'none'>
  readonly quiet: QuietHours | null
  readonly address: string
}

/** `readAlertMembers` reads the members who get e-mails and have an address. It checks no permission. */
export async function readAlertMembers(database: Pick<pg.Pool, 'query'>): Promise<readonly AlertMember[]> {
  const { rows } = await database.query<MemberRow>(`${MEMBERS} ORDER BY member.id LIMIT 500`)
  return rows.flatMap((row) => {
    const role = parseRole(row.role)
    const address = addressOf(row.emails)
    if (role === null || address === null) return []
    const receives = receivingOf(row.receives, role)
    if (receives === 'none') return []
    return [{ memberId: row.id, role, receives, quiet: QuietSchema.nullable().parse(row.quiet), address }]
  })
}

const receivingOf = (stored: string | null, role: Role): Receiving =>
  receivings.find((one) => one === stored) ?? defaultOf(role)

const addressOf = (emails: readonly string[]): string | null => emails.find(isMailbox) ?? null

interface MemberRow {
  readonly id: string
  readonly role: string
  readonly emails: readonly string[]
  readonly receives: string | null
  readonly quiet: unknown
}

const MEMBERS = `
  SELECT member.id, member.role, alert_member.receives, alert_member.quiet,
    array_remove(ARRAY[person.email, member.email, member.sso_email], NULL) AS emails
  FROM member LEFT JOIN person ON person.user_uuid = member.user_uuid
    LEFT JOIN alert_member ON alert_member.member_id = member.id
  WHERE member.removed_at IS NULL AND member.joined_at IS NOT NULL`

const CHANGE = `
  INSERT INTO alert_member (member_id, receives, quiet) VALUES ($1, $2, $3)
  ON CONFLICT (member_id) DO UPDATE SET
    receives = EXCLUDED.receives, quiet = EXCLUDED.quiet, updated_at = clock_timestamp()`
