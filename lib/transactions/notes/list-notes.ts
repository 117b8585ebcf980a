import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { may } from '#lib/access/rules/roles.ts'
import { showRecord } from '#lib/access/rules/show-record.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { textParameter } from '#lib/platform/db/text-parameter.ts'
import { ticketName } from '#lib/platform/rules/ticket.ts'
import { readSettings } from '#lib/platform/settings/read-settings.ts'
import { authorOf, noteSubject } from './note-fields.ts'
import type { NoteView } from './note-view.ts'

/** The notes beside a transaction, the latest first, 200 at most. Throws `NotAllowed`. */
export async function listNotes(caller: Caller, transaction: string): Promise<NoteView[]> {
  requirePermission(caller, 'see-everything')
  const id = noteSubject(textParameter(transaction).trim().toLowerCase())
  const [{ rows }, { ticketAddress }] = await Promise.all([pool().query<NoteRow>(LIST, [id]), readSettings()])
  const works = may(caller.role, 'work-on-cases')
  return rows.map(({ author, ticket, writtenAt, changedAt, ...rest }) =>
    showRecord(caller.role, 'note', {
      ...rest,
      ticket,
      ticketName: ticket === null ? null : ticketName(ticket, ticketAddress),
      writtenAt: writtenAt.toISOString(),
      changedAt: changedAt?.toISOString() ?? null,
      mayChange: works && author === authorOf(caller),
      mayRemove: works && (author === authorOf(caller) || may(caller.role, 'manage-team')),
    }),
  )
}

interface NoteRow {
  readonly id: string
  readonly text: string
  readonly ticket: string | null
  readonly author: string
  readonly by: string
  readonly writtenAt: Date
  readonly changedAt: Date | null
}

const LIST = `
  SELECT id, text, ticket, author, written_at AS "writtenAt", changed_at AS "changedAt",
    COALESCE((SELECT name FROM member WHERE member.id::text = author), author) AS by
  FROM transaction_note WHERE subject_id = $1 ORDER BY id DESC LIMIT 200`
