import { expect, it, vi } from 'vitest'
import { rebuild } from '#lib/projector/rebuild.ts'
import { withPersonDatabase } from '../../test/person-database.ts'
import { digestOf } from '../../test/projections.ts'
import { aPerson } from '../../test/sample-people.ts'
import { endOldData } from './end-old-data.ts'

const { pool, deliver, folded, known, amounts } = withPersonDatabase()

it('ends the personal data of each type when its time is over, and no rebuild brings it back', async () => {
  const ana = await known()
  await pool().query(
    `INSERT INTO setting (key, value) VALUES ('settings', '{"retentionDays": {"fiatToCrypto": 30, "KYC": 1}}')`,
  )
  const bodies = async () =>
    (
      await pool().query(
        `SELECT type, encode(event_body(id, envelope), 'escape') AS body FROM event WHERE entity_uuid = $1 ORDER BY id`,
        [ana.userUuid],
      )
    ).rows
  const before = { bodies: await bodies(), amounts: await amounts(ana) }
  await endOldData(pool(), new Date(Date.now() + 2 * 24 * 3_600_000))
  const ended = await bodies()
  for (const [index, { type, body }] of ended.entries())
    if (type === 'KYC')
      expect(JSON.parse(body)).toMatchObject({ uuid: ana.userUuid, data: { status: 'FULL_USER' } })
    else expect(body).toBe(before.bodies[index]?.body)
  expect(JSON.stringify(ended.filter(({ type }) => type === 'KYC'))).not.toContain(ana.lastName)
  await endOldData(pool(), new Date(Date.now() + 31 * 24 * 3_600_000))
  expect(await amounts(ana)).toEqual(before.amounts)
  expect(JSON.stringify((await bodies()).filter(({ type }) => type === 'fiatToCrypto'))).not.toContain(
    ana.iban,
  )
  expect(
    (await pool().query('SELECT count(*)::int FROM identifier WHERE value = $1', [ana.hash])).rows,
  ).toEqual([{ count: 0 }])
  const rows = await digestOf(pool())
  await endOldData(pool(), new Date(Date.now() + 32 * 24 * 3_600_000))
  await rebuild(pool(), { signal: new AbortController().signal, onProgress: () => undefined })
  expect(await digestOf(pool())).toBe(rows)
})

it('ends the personal data of what could not be folded too', async () => {
  const person = aPerson()
  const about = { subType: 'x', uuid: person.userUuid, data: { status: 'FULL_USER', name: person.lastName } }
  const ids = await deliver([
    { type: 'KYC', ...about },
    { type: 'KYB', ...about },
  ])
  await folded()
  await pool().query(
    `INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error) SELECT unnest($1::uuid[]), now(), 'a test'`,
    [ids],
  )
  const event = 'DELETE FROM event WHERE id = ANY($1)'
  await pool().query(event, [ids])
  const bodies = async () =>
    (
      await pool().query(
        "SELECT encode(body, 'escape') AS body FROM delivery WHERE id = ANY($1) ORDER BY id",
        [ids],
      )
    ).rows.map(({ body }) => JSON.parse(body))
  await pool().query(
    `INSERT INTO setting (key, value) VALUES ('settings', '{"retentionDays": {"KYC": 5}}')
     ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
  )
  await endOldData(pool(), new Date(Date.now() + 4 * 24 * 3_600_000))
  expect(await bodies()).toMatchObject([about, about])
  await endOldData(pool(), new Date(Date.now() + 6 * 24 * 3_600_000))
  const [ended, kept] = await bodies()
  expect(ended).toMatchObject({ type: 'KYC', uuid: person.userUuid, data: { status: 'FULL_USER' } })
  expect(JSON.stringify(ended)).not.toContain(person.lastName)
  expect(kept).toMatchObject(about)
})

vi.setConfig({ testTimeout: 60_000 })
