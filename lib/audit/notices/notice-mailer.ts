import 'server-only'
import type pg from 'pg'
import { noticeSentence, noticesWithAlert } from '#lib/audit/labels/notice-labels.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import type { Listener } from '#lib/platform/db/listen.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { env } from '#lib/platform/env.ts'
import {
  type ClaimedMail,
  queueMails,
  startMailer,
  type Writer,
  type Written,
} from '#lib/platform/mail/mail-queue.ts'
import { isMailbox, mailboxKey, presentRecipients } from '#lib/platform/rules/mail-address.ts'
import { isolated } from '#lib/platform/rules/pasted-text.ts'
import { noticeChannel } from './notices.ts'

/** The mailer queues mails for new notices and sends queued mails, also those that other code could not send at once. */
interface NoticeMailer {
  /** The mailer stops after the mails under way, or leaves them to the next process. */
  stop(): Promise<void>
}

/** `every` is the interval in ms. Other areas write the mails about alerts. */
export function startNoticeMailer(
  pool: pg.Pool,
  listener: Listener,
  { every, writeAlerts }: { readonly every?: number; readonly writeAlerts?: Writer } = {},
): NoticeMailer {
  const write = (mail: ClaimedMail) =>
    mail.kind === 'alerts' && writeAlerts ? writeAlerts(mail) : writeNotices(pool, mail)
  const rounds = startMailer(pool, write, () => mailNotices(pool), every)
  const unsubscribe = listener.subscribe(noticeChannel, rounds.request)
  const forget = listener.onListening(rounds.request)
  return {
    async stop() {
      unsubscribe()
      forget()
      await rounds.stop()
    },
  }
}

/** One mail has at most this many notices; the others follow in the next mail. */
const batch = 50

/**
 * The notices of the last day that have no mail yet go into one mail to every admin with an address, except those that
 * alerts report. When several processes run, each notice is queued by one of them. The result is the number of queued notices.
 */
export function mailNotices(pool: pg.Pool): Promise<number> {
  if (env().mail === null) return Promise.resolve(0)
  return inTransaction(pool, async (tx) => {
    const { rows: locks } = await tx.query<{ free: boolean }>(LOCK, [advisoryLocks.noticeMail])
    if (!locks[0]?.free) return 0
    const { rows: notices } = await tx.query<{ id: string }>(UNMAILED, [batch, noticesWithAlert])
    if (notices.length === 0) return 0
    const { rows: admins } = await tx.query<AdminRow>(ADMINS)
    const ids = notices.map(({ id }) => id)
    const mailboxes = Map.groupBy(withAddress(admins), ({ address }) => mailboxKey(address))
    for (const sharing of mailboxes.values()) {
      const [address] = sharing.map((admin) => admin.address)
      if (address !== undefined)
        await queueMails(tx, 'notices', [address], [...ids, ...sharing.map(({ id }) => id)])
    }
    await tx.query('UPDATE admin_notice SET mailed_at = now() WHERE id = ANY($1::uuid[])', [ids])
    return notices.length
  })
}

interface AdminRow {
  readonly id: string
  readonly emails: readonly string[]
}

/** Each admin gets the first address that can receive mail, else the first. */
const withAddress = (admins: readonly AdminRow[]) =>
  admins.flatMap(({ id, emails }) => {
    const address = emails.find(isMailbox) ?? emails[0]
    return address === undefined ? [] : [{ id, address }]
  })

/** The text shows the notices as they are now; null when none is left, or when no recipient is an admin any more. */
async function writeNotices(
  pool: pg.Pool,
  { about, recipient }: { readonly about: readonly string[]; readonly recipient: string },
): ReturnType<Writer> {
  const [{ rows: notices }, { rows: admins }] = await Promise.all([
    pool.query<NoticeRow>(NOTICES, [about]),
    pool.query<AdminRow>(ADMINS),
  ])
  const [admin] = presentRecipients(recipient, about, withAddress(admins))
  return admin && notices.length > 0 ? { ...mailOf(notices), to: admin.address } : null
}

interface NoticeRow {
  readonly id: string
  readonly at: Date
  readonly kind: string
  readonly actor_name: string | null
  readonly reason: string | null
  readonly facts: Record<string, string>
}

function mailOf(notices: readonly NoticeRow[]): Written {
  const { hostname, href } = new URL('/notices', env().publicUrl)
  const lines = notices.map(({ at, kind, actor_name, reason, facts }) => {
    const why = reason === null ? '' : `\n  Why: ${isolated(reason)}`
    return `${at.toUTCString()}\n  ${noticeSentence(kind, actor_name, facts)}${why}`
  })
  const [first] = notices
  const subject =
    notices.length === 1 && first
      ? noticeSentence(first.kind, first.actor_name, first.facts).replace(/\.$/, '')
      : `${notices.length} notices from Rampart at ${hostname}`
  return {
    subject: cut(subject, 200),
    text: `Every admin of Rampart at ${hostname} is told of this:

${lines.join('\n\n')}

If you did not expect it, look at once: ${href}
`,
  }
}

/** The text is cut to this many UTF-16 units, never within a character. */
function cut(text: string, most: number): string {
  const end = [...new Intl.Segmenter('en').segment(text)].find(
    ({ index, segment }) => index + segment.length > most,
  )
  return text.slice(0, end?.index)
}

/** An advisory lock is used because an admin may update the rows meanwhile. */
const LOCK = 'SELECT pg_try_advisory_xact_lock($1) AS free'

const UNMAILED = `
  SELECT id FROM admin_notice
  WHERE mailed_at IS NULL AND at > now() - interval '1 day' AND kind <> ALL($2::text[])
  ORDER BY id LIMIT $1`

const NOTICES = `
  SELECT id, at, kind, actor_name, reason, facts FROM admin_notice WHERE id = ANY($1::uuid[]) ORDER BY id`

const ADMINS = `
  SELECT member.id, array_remove(ARRAY[person.email, member.email, member.sso_email], NULL) AS emails
  FROM member LEFT JOIN person ON person.user_uuid = member.user_uuid
  WHERE role = 'admin' AND removed_at IS NULL AND joined_at IS NOT NULL
    AND COALESCE(person.email, member.email, member.sso_email) IS NOT NULL
  ORDER BY member.id LIMIT 200`
