import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { may } from '#lib/domain/access/roles.ts'
import { showRecord } from '#lib/domain/access/show-record.ts'
import { ticketName } from '#lib/domain/text/ticket.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { readSettings } from '#lib/settings/read-settings.ts'
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
