import { beforeEach, expect, it, vi } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { beginErasure, runErasure } from './erase-user.ts'

const { pool, known, erase, deliver, folded } = withPersonDatabase()

beforeEach(() => pool().query('DELETE FROM transaction_note; DELETE FROM overview_mute'))

const note = (transaction: string | undefined, text: string, ticket: string | null = null) =>
  pool().query(
    `INSERT INTO transaction_note (subject_id, id, text, ticket, author)
     VALUES ('transaction:' || $1::text, gen_random_uuid(), $2, $3, 'x')`,
    [transaction, text, ticket],
  )
const snooze = (kind: string, about: string | undefined, text: string) =>
  pool().query(
    `INSERT INTO overview_mute (kind, about, note, muted_by, covers_until) VALUES ($1, $2, $3, 'x', now())`,
    [kind, about, text],
  )
const texts = async () =>
  (await pool().query('SELECT text FROM transaction_note ORDER BY text')).rows.map(({ text }) => text)
const snoozes = async () =>
  (await pool().query('SELECT note FROM overview_mute ORDER BY note')).rows.map(({ note }) => note)

it('removes the notes about a person, and those that name them elsewhere', async () => {
  const [ana, bob] = [await known(), await known()]
  await note(ana.transactions[0], 'Rang twice')
  await note(bob.transactions[0], `Same wallet as ${ana.targetAddress.toUpperCase().replace('0X', '0x')}`)
  await note(bob.transactions[0], `Wrote from ${ana.email}`)
  await note(bob.transactions[0], 'Rang once')
  await erase(ana.userUuid)
  expect(await texts()).toEqual(['Rang once'])
})

it.each(['iban', 'account', 'accountNumber'] as const)(
  'takes the notes that name their %s, which only deliveries tell',
  async (field) => {
    const [ana, bob] = [await known(), await known()]
    const spaced = ana[field].replace(/(.{4})(?=.)/g, '$1 ')
    await note(bob.transactions[0], `Meant for ${spaced}, they say`)
    await note(bob.transactions[0], `Is ${ana.accountNumber}0 not theirs?`)
    await erase(ana.userUuid)
    expect(await texts()).toEqual([`Is ${ana.accountNumber}0 not theirs?`])
  },
)

it('removes notes with an address that only a bounced code has', async () => {
  const [ana, bob] = [await known(), await known()]
  const data = { emailAddress: 'Old.Ana@demo.test', diagnosticCode: '550' }
  await deliver([{ type: 'otpNotification', subType: 'EMAIL_DELIVERY_FAILED', uuid: ana.userUuid, data }])
  await folded()
  await note(bob.transactions[0], 'Wrote from old.ana@demo.test')
  await erase(ana.userUuid)
  expect(await texts()).toEqual([])
})

it('overwrites the unknown types of alerts that name the person', async () => {
  const [ana, bob] = [await known(), await known()]
  await pool().query(
    `INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at)
     SELECT gen_random_uuid(), 'unknown-type', type, 1, 1, 1, now() FROM unnest($1::text[]) AS type`,
    [[`left ${ana.email}`, `Ana ${ana.email}`, `left ${bob.email}`]],
  )
  await erase(ana.userUuid)
  const { rows } = await pool().query<{ subject: string }>('SELECT subject FROM alert ORDER BY subject')
  expect(rows.map(({ subject }) => subject.split(' ')[0])).toEqual(['Erased', 'Erased', 'left'])
  expect(rows[2]?.subject).toBe(`left ${bob.email}`)
  await pool().query('DELETE FROM alert')
})

it('removes notes whose ticket names the person', async () => {
  const [ana, bob] = [await known(), await known()]
  await note(bob.transactions[0], 'One', `https://help.example/${ana.email.toLowerCase()}`)
  await note(bob.transactions[0], 'Two', `https://help.example/?of=${encodeURIComponent(ana.email)}`)
  await note(bob.transactions[0], 'Three', `https://help.example/${ana.accountNumber}`)
  await note(bob.transactions[0], 'Four', 'https://help.example/4')
  await erase(ana.userUuid)
  expect(await texts()).toEqual(['Four'])
})

it('removes notes that are written while it runs', async () => {
  const [ana, bob] = [await known(), await known()]
  const id = await inTransaction(pool(), (tx) => beginErasure(tx, ana.userUuid))
  await note(ana.transactions[0], 'Rang twice')
  await note(bob.transactions[0], `Wrote from ${ana.email}`)
  await note(bob.transactions[0], 'Rang once')
  await snooze('held', `transaction:${ana.transactions[0]}`, 'Rang today')
  await runErasure(pool(), id)
  expect(await texts()).toEqual(['Rang once'])
  expect(await snoozes()).toEqual(['Erased'])
})

it('removes the texts of snoozes and keeps the snoozes', async () => {
  const [ana, bob] = [await known(), await known()]
  const { rows } = await pool().query(`SELECT id FROM event WHERE entity_uuid = $1 AND type = 'AML'`, [
    ana.userUuid,
  ])
  await snooze('held', `transaction:${ana.transactions[0]}`, 'Rang twice')
  await snooze('aml', rows[0]?.id, 'Rang twice')
  await snooze('held', `transaction:${bob.transactions[0]}`, `Waits for ${ana.iban}`)
  await snooze('failed', `transaction:${bob.transactions[0]}`, 'Rang once')
  await erase(ana.userUuid)
  expect(await snoozes()).toEqual(['Erased', 'Erased', 'Erased', 'Rang once'])
})

vi.setConfig({ testTimeout: 60_000 })
