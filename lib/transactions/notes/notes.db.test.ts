import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { roles } from '#lib/access/rules/roles.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput, NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { AddNoteSchema, addNote, changeNote, listNotes, removeNote } from './notes.ts'

const support = callerWith('support')
const browser = newBrowser()
const person = crypto.randomUUID()
let transaction: string
let subject: string
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(`INSERT INTO member (id, name, role) VALUES ($1, 'Sam', 'support')`, [support.memberId])
})
beforeEach(async () => {
  await pool().query(
    `DELETE FROM transaction_note; DELETE FROM audit; DELETE FROM setting WHERE key = 'settings'`,
  )
  transaction = crypto.randomUUID()
  subject = `transaction:${transaction}`
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, direction, step, flags, user_uuid, started_at, last_move_at)
     VALUES ('transaction:' || $1, $1, 'fiatToCrypto', 'PENDING', '{}', $2, now(), now())`,
    [transaction, person],
  )
})
afterAll(() => database.stop())

const entries = async () =>
  (await pool().query('SELECT action, actor, target, details FROM audit ORDER BY at')).rows

describe('a note beside a transaction', () => {
  it('is kept with who wrote it and when, and is written down without what it says', async () => {
    const { noteId } = await addNote(
      support,
      { subject, text: 'Rang twice', ticket: 'https://help.example/12' },
      browser,
    )
    expect(await listNotes(support, subject.toUpperCase())).toEqual([
      {
        id: noteId,
        text: 'Rang twice',
        ticket: 'https://help.example/12',
        ticketName: 'help.example/12',
        by: 'Sam',
        writtenAt: expect.any(String),
        changedAt: null,
        mayChange: true,
        mayRemove: true,
      },
    ])
    expect(await entries()).toEqual([
      { action: 'note.add', actor: support.id, target: transaction, details: { note: noteId, person } },
    ])
    expect(JSON.stringify(await entries())).not.toContain('Rang')
  })

  it('is changed and removed by whoever wrote it; another admin removes it, and nobody else', async () => {
    const { noteId } = await addNote(support, { subject, text: 'Rang twice' }, browser)
    const colleague = callerWith('support')
    const other = { subject, noteId, text: 'Mine now' }
    await expect(changeNote(colleague, other, browser)).rejects.toThrow(Refused)
    await expect(removeNote(colleague, { subject, noteId }, browser)).rejects.toThrow(Refused)
    await expect(changeNote(callerWith('admin'), other, browser)).rejects.toThrow(Refused)
    expect(await listNotes(colleague, subject)).toMatchObject([
      { text: 'Rang twice', mayChange: false, mayRemove: false },
    ])
    const same = changeNote(support, { subject, noteId, text: 'Rang twice' }, browser)
    await expect(same).rejects.toThrow('Nothing to change.')
    await changeNote(support, { subject, noteId, text: 'Rang three times' }, browser)
    expect(await listNotes(callerWith('admin'), subject)).toMatchObject([
      { text: 'Rang three times', changedAt: expect.any(String), mayChange: false, mayRemove: true },
    ])
    await removeNote(callerWith('admin'), { subject, noteId }, browser)
    expect(await listNotes(support, subject)).toEqual([])
    await expect(changeNote(support, other, browser)).rejects.toThrow(Refused)
    expect((await entries()).map(({ action }) => action)).toEqual(['note.add', 'note.change', 'note.remove'])
  })

  it.each(roles)('is read and written by the role %s as the table has it', async (role) => {
    await addNote(support, { subject, text: 'Rang twice', ticket: 'https://help.example/ana' }, browser)
    const caller = callerWith(role)
    const write = addNote(caller, { subject, text: 'Mine' }, browser)
    if (role === 'end-user' || role === 'auditor') await expect(write).rejects.toThrow(NotAllowed)
    else await write
    if (role === 'end-user') return expect(listNotes(caller, subject)).rejects.toThrow(NotAllowed)
    expect(await listNotes(caller, subject)).toContainEqual(
      expect.objectContaining(
        // A free text may name anybody: a role that sees people masked learns only who wrote a note, and when.
        role === 'auditor'
          ? { by: 'Sam', text: null, ticket: null, ticketName: null, mayChange: false }
          : { text: 'Rang twice', ticket: 'https://help.example/ana', mayChange: false },
      ),
    )
  })

  it('links to a ticket of the merchant alone, where they say where those are', async () => {
    await pool().query(`INSERT INTO setting (key, value) VALUES ('settings', $1)`, [
      { ticketAddress: 'https://help.example/{ticket}' },
    ])
    for (const ticket of ['https://evil.example/12', 'two words'])
      await expect(addNote(support, { subject, text: 'x', ticket }, browser)).rejects.toThrow(InvalidInput)
    await addNote(support, { subject, text: 'x', ticket: '\u200bHELP‑12\u2060' }, browser)
    expect(await listNotes(support, subject)).toMatchObject([
      { ticket: 'https://help.example/HELP-12', ticketName: 'HELP-12' },
    ])
  })

  it('is not written beside what does not exist, nor without words', async () => {
    const unknown = { subject: `transaction:${crypto.randomUUID()}`, text: 'x' }
    await expect(addNote(support, unknown, browser)).rejects.toThrow(Refused)
    for (const text of ['', '   ', 'x\0', 'x'.repeat(2_001)])
      expect(AddNoteSchema.safeParse({ subject, text }).success).toBe(false)
    expect(await entries()).toEqual([])
  })
})
