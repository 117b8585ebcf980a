import { expect, it, vi } from 'vitest'
import { withPersonDatabase } from '../../test/person-database.ts'

const { pool, known, erase } = withPersonDatabase()

it('takes the notes about a person with them, and those that name them elsewhere', async () => {
  const [ana, bob] = [await known(), await known()]
  const add = (transaction: string | undefined, text: string) =>
    pool().query(
      `INSERT INTO transaction_note (subject_id, id, text, author) VALUES ('transaction:' || $1::text, gen_random_uuid(), $2, 'x')`,
      [transaction, text],
    )
  await add(ana.transactions[0], 'Rang twice')
  await add(bob.transactions[0], `Same wallet as ${ana.targetAddress.toUpperCase().replace('0X', '0x')}`)
  await add(bob.transactions[0], `Wrote from ${ana.email}`)
  await add(bob.transactions[0], 'Rang once')
  await erase(ana.userUuid)
  const { rows } = await pool().query('SELECT text FROM transaction_note')
  expect(rows).toEqual([{ text: 'Rang once' }])
})

vi.setConfig({ testTimeout: 60_000 })
