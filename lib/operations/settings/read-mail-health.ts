import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import type { SendingResult } from '#lib/platform/db/claimed-queue.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { EmailAddressSchema } from '#lib/platform/forms/fields.ts'
import { queueClaimed, tryNow } from '#lib/platform/mail/mail-queue.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'
import { lateAfterMs, type MailHealth, mailTrouble } from '#lib/platform/rules/mail-states.ts'

/** The page Settings shows mail in this form. `server` and `from` are null when they are not set. */
export interface MailView {
  readonly server: string | null
  readonly from: string | null
  readonly health: MailHealth
}

/** `readMail` throws `NotAllowed`. */
export async function readMail(caller: Caller): Promise<MailView> {
  requirePermission(caller, 'manage-settings')
  const { mail } = env()
  return {
    server: mail?.server.place ?? null,
    from: mail?.from.address ?? null,
    health: await readMailHealth(pool()),
  }
}

/**
 * `readMailTrouble` is for people who are warned when mail is not sent; null while it works. It throws `NotAllowed`.
 */
export async function readMailTrouble(caller: Caller): Promise<MailHealth | null> {
  requirePermission(caller, 'read-notices')
  const health = await readMailHealth(pool())
  return mailTrouble(health) === null ? null : health
}

/** A command uses `readMailHealth` too. */
export async function readMailHealth(database: pg.Pool): Promise<MailHealth> {
  const { rows } = await database.query<HealthRow>(HEALTH, [lateAfterMs])
  const [row] = rows
  return {
    lastSentAt: row?.sent_at?.toISOString() ?? null,
    waiting: row?.waiting ?? 0,
    lateSince: row?.late_since?.toISOString() ?? null,
    lost: row?.lost ?? 0,
    lastFault: row?.fault_at ? { at: row.fault_at.toISOString(), answer: row.answer ?? '' } : null,
    triedAt: row?.tried_at?.toISOString() ?? null,
  }
}

interface HealthRow {
  readonly sent_at: Date | null
  readonly waiting: number
  readonly late_since: Date | null
  readonly lost: number
  readonly fault_at: Date | null
  readonly answer: string | null
  readonly tried_at: Date | null
}

/**
 * A mail sent later shows that the server works: what waits since before is refused by its own recipient for now. When
 * several recipients were refused since, it is the server.
 */
const HEALTH = `
  WITH last AS (SELECT COALESCE(max(ended_at), '-infinity') AS sent_at FROM mail WHERE state = 'sent'), late AS (
    SELECT created_at, recipient, created_at > sent_at AS is_newer, tried_at > sent_at AS is_tried FROM mail, last
    WHERE state = 'waiting' AND kind <> 'test' AND unsure = 0 AND created_at < now() - $1 * interval '1 ms'
  )
  SELECT max(ended_at) FILTER (WHERE state = 'sent') AS sent_at,
         count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
         (SELECT min(created_at) FROM late
          WHERE is_newer OR is_tried AND (SELECT count(DISTINCT recipient) FROM late WHERE is_tried) > 1) AS late_since,
         count(*) FILTER (WHERE state IN ('failed', 'unknown') AND kind <> 'test'
           AND ended_at > now() - interval '1 day')::int AS lost,
         max(tried_at) FILTER (WHERE state <> 'sent' AND last_answer IS NOT NULL) AS fault_at,
         (array_agg(last_answer ORDER BY tried_at DESC NULLS LAST)
           FILTER (WHERE state <> 'sent' AND last_answer IS NOT NULL))[1] AS answer,
         max(tried_at) AS tried_at
  FROM mail`

export const SendTestMailSchema = z.object({
  to: EmailAddressSchema.refine(isMailbox, 'Mail cannot go to an address in quotes.'),
})

/**
 * `sendTestMail` sends a mail that says only where it is from, and returns the result. It throws `NotAllowed` and
 * `Refused`.
 */
export async function sendTestMail(
  caller: Caller,
  { to }: z.output<typeof SendTestMailSchema>,
  source: CallSource,
): Promise<SendingResult> {
  requirePermission(caller, 'manage-settings')
  const { mail, publicUrl } = env()
  if (mail === null) throw new Refused('no-mail-server')
  const written = {
    subject: `Test mail from Rampart at ${publicUrl.hostname}`,
    text: `An admin of Rampart at ${publicUrl.hostname} sent this to see whether mail arrives. It did.\n`,
  }
  const queued = await inTransaction(pool(), async (tx) => {
    await recordAudit(tx, { actor: caller, action: 'mail.test', outcome: 'done' }, source)
    return queueClaimed(tx, { kind: 'test', recipient: to, about: [], written })
  })
  return tryNow(pool(), queued)
}
