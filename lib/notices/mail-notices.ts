import 'server-only'
import type pg from 'pg'
import { advisoryLocks } from '#lib/db/advisory-locks.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { env } from '#lib/env.ts'
import { noticeSentence } from '#lib/labels/notice-labels.ts'
import { sendMail } from '#lib/mail/send-mail.ts'

/** Notices in one mail at most; further ones follow in the next. */
const batch = 50

/**
 * Mails notices of the last day that were not mailed yet to every admin with an address: one mail for all of them. What
 * the mail server took for nobody is tried again later. Of several processes one mails each notice.
 * @returns how many notices were mailed
 */
export function mailNotices(pool: pg.Pool): Promise<number> {
  if (env().mail === null) return Promise.resolve(0)
  return inTransaction(pool, async (tx) => {
    const { rows: locks } = await tx.query<{ free: boolean }>(LOCK, [advisoryLocks.noticeMail])
    if (!locks[0]?.free) return 0
    const { rows: notices } = await tx.query<NoticeRow>(UNMAILED, [batch])
    if (notices.length === 0) return 0
    const { rows: admins } = await tx.query<{ email: string }>(ADMINS)
    const outcomes = await Promise.all(admins.map(({ email }) => sendMail({ to: email, ...mailOf(notices) })))
    if (admins.length > 0 && !outcomes.includes('sent')) return 0
    await tx.query('UPDATE admin_notice SET mailed_at = now() WHERE id = ANY($1::uuid[])', [
      notices.map(({ id }) => id),
    ])
    return notices.length
  })
}

interface NoticeRow {
  readonly id: string
  readonly at: Date
  readonly kind: string
  readonly actor_name: string | null
  readonly about: string | null
  readonly reason: string | null
  readonly facts: Record<string, string>
}

function mailOf(notices: readonly NoticeRow[]) {
  const { hostname, href } = new URL('/notices', env().publicUrl)
  const lines = notices.map(({ at, kind, actor_name, about, reason, facts }) => {
    const why = reason === null ? '' : `\n  Why: ${reason}`
    return `${at.toUTCString()}\n  ${noticeSentence(kind, actor_name, facts)}${why}${whatToDo(kind, about)}`
  })
  const [first] = notices
  const subject =
    notices.length === 1 && first
      ? noticeSentence(first.kind, first.actor_name, first.facts).replace(/\.$/, '')
      : `${notices.length} notices from Rampart at ${hostname}`
  return {
    subject: subject.slice(0, 200),
    text: `Every admin of Rampart at ${hostname} is told of this:

${lines.join('\n\n')}

If you did not expect it, look at once: ${href}
`,
  }
}

/** Of what waits for an admin: what to do, and where. */
const whatToDo = (kind: string, about: string | null): string =>
  kind === 'endpoint-switched-off' && about !== null
    ? `\n  See what failed, then activate it: ${new URL(`/endpoints/${about}`, env().publicUrl)}`
    : ''

/** Rather than the rows, which an admin may mark as seen meanwhile. */
const LOCK = 'SELECT pg_try_advisory_xact_lock($1) AS free'

const UNMAILED = `
  SELECT id, at, kind, actor_name, about, reason, facts FROM admin_notice
  WHERE mailed_at IS NULL AND at > now() - interval '1 day'
  ORDER BY id LIMIT $1`

const ADMINS = `
  SELECT DISTINCT COALESCE(person.email, member.email, member.sso_email) AS email
  FROM member LEFT JOIN person ON person.user_uuid = member.user_uuid
  WHERE role = 'admin' AND removed_at IS NULL AND joined_at IS NOT NULL
    AND COALESCE(person.email, member.email, member.sso_email) IS NOT NULL
  LIMIT 200`
