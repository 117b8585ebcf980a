import crypto from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { otherEvents } from '#lib/deliveries/rules/event-types.ts'
import { somethingOf } from '#lib/deliveries/rules/subject.ts'
import { changeChannel, parseChange } from '#lib/platform/change-notification.ts'
import { openListener } from '#lib/platform/db/listen.ts'
import { env } from '#lib/platform/env.ts'
import { rebuild } from '#lib/timeline/projector/rebuild.ts'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { digestOf } from '../../../test/projections.ts'
import { aPerson } from '../../../test/sample-people.ts'
import { endOldData } from './end-old-data.ts'

const { pool, deliver, folded, known, erase, amounts } = withPersonDatabase()

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

it('ends notes beside a transaction with the personal data of its direction', async () => {
  const ana = await known()
  await pool().query(
    `INSERT INTO setting (key, value) VALUES ('settings', '{"retentionDays": {"fiatToCrypto": 30}}')
     ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
  )
  await pool().query(
    `INSERT INTO transaction_note (subject_id, id, text, author)
     SELECT subject_id, gen_random_uuid(), direction, 'x' FROM transaction WHERE user_uuid = $1`,
    [ana.userUuid],
  )
  const notes = async () =>
    (await pool().query('SELECT text FROM transaction_note ORDER BY text')).rows.map(({ text }) => text)
  await endOldData(pool(), new Date(Date.now() + 29 * 24 * 3_600_000))
  expect(await notes()).toEqual(['cryptoToFiat', 'fiatToCrypto'])
  await endOldData(pool(), new Date(Date.now() + 31 * 24 * 3_600_000))
  expect(await notes()).toEqual(['cryptoToFiat'])
})

it('ends notes beside a transaction without a direction as other events end', async () => {
  const subjects = [crypto.randomUUID(), crypto.randomUUID()].map((uuid) => `transaction:${uuid}`)
  for (const subject of subjects) {
    await pool().query(
      `INSERT INTO transaction (subject_id, uuid, direction, step, flags, user_uuid, started_at, last_move_at)
       VALUES ($1, right($1, 36), $2, 'PENDING', '{}', gen_random_uuid(), now(), now())`,
      [subject, null],
    )
    await pool().query(
      `INSERT INTO transaction_note (subject_id, id, text, author) VALUES ($1, gen_random_uuid(), 'Rang', 'x')`,
      [subject],
    )
  }
  await pool().query(
    `INSERT INTO setting (key, value) VALUES ('settings', $1) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
    [{ retentionDays: { [otherEvents]: 30, fiatToCrypto: 5 } }],
  )
  const left = async () =>
    (await pool().query('SELECT FROM transaction_note WHERE subject_id = ANY($1)', [subjects])).rowCount
  await endOldData(pool(), new Date(Date.now() + 29 * 24 * 3_600_000))
  expect(await left()).toBe(2)
  await endOldData(pool(), new Date(Date.now() + 31 * 24 * 3_600_000))
  expect(await left()).toBe(0)
  await pool().query('DELETE FROM transaction WHERE subject_id = ANY($1)', [subjects])
})

it('ends the personal data of dead letters too', async () => {
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

it('ends unknown types and unreadable bodies by their own rule', async () => {
  const person = aPerson()
  const about = { uuid: person.userUuid, data: { status: 'NEW', name: person.lastName } }
  const ids = await deliver([
    { type: 'brandNew', subType: 'x', ...about },
    `not JSON, of ${person.lastName}`,
    { ...about, subType: 'no type' },
    { type: 'KYC', subType: 'x', ...about },
    { type: 'alsoNew', subType: 'cannot be folded', ...about, uuid: crypto.randomUUID() },
    `no JSON either, of ${person.lastName}`,
  ])
  await folded()
  const dead = ids.slice(4)
  await pool().query(
    `INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error) SELECT unnest($1::uuid[]), now(), 'a test'`,
    [dead],
  )
  await pool().query('DELETE FROM event WHERE id = ANY($1)', [dead])
  await pool().query(
    `INSERT INTO setting (key, value) VALUES ('settings', '{"retentionDays": {"otherEvents": 5}}')
     ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
  )
  const bodies = async () =>
    (
      await pool().query(
        "SELECT encode(body, 'escape') AS body FROM delivery WHERE id = ANY($1) ORDER BY id",
        [ids],
      )
    ).rows.map(({ body }) => String(body))
  const before = await bodies()
  await endOldData(pool(), new Date(Date.now() + 4 * 24 * 3_600_000))
  expect(await bodies()).toEqual(before)
  await endOldData(pool(), new Date(Date.now() + 6 * 24 * 3_600_000))
  const ended = await bodies()
  expect(ended.map((body) => body.includes(person.lastName))).toEqual([
    false,
    false,
    false,
    true,
    false,
    false,
  ])
  expect(JSON.parse(ended[0] ?? '')).toMatchObject({ type: 'brandNew', uuid: person.userUuid })
  expect(ended[1]).toMatch(/^erased [0-9a-f]{8}$/)
  const { rows } = await pool().query('SELECT id, unreadable FROM event WHERE id = ANY($1) ORDER BY id', [
    ids.slice(0, 2),
  ])
  expect(rows).toMatchObject([{ unreadable: null }, { unreadable: 'not-json' }])
  // Data that was ended stays as it is, also after a rebuild.
  for (const [table, id] of [
    ['delivery_pending', 'delivery_id'],
    ['event_delivery', 'delivery_id'],
    ['delivery', 'id'],
  ])
    await pool().query(`DELETE FROM ${table} WHERE ${id} = ANY($1)`, [dead])
  const digest = await digestOf(pool())
  await endOldData(pool(), new Date(Date.now() + 7 * 24 * 3_600_000))
  await rebuild(pool(), { signal: new AbortController().signal, onProgress: () => undefined })
  expect(await digestOf(pool())).toBe(digest)
  expect(await bodies()).toEqual(ended.slice(0, 4))
})

it('reads past thousands of events of known types to find the few of unknown type', async () => {
  const other = aPerson()
  await pool().query("DELETE FROM setting WHERE key = 'retention:otherEvents'")
  await pool().query(
    `INSERT INTO event (subject_id, id, fingerprint, type, entity_uuid, position, deliveries, first_received_at, last_received_at, flags, envelope)
     SELECT 'entity:' || $1, uuidv7(), sha256(n::text::bytea), 'KYC', $1, n, 1, now(), now(), '{}', '{}' FROM generate_series(1, $2) AS n`,
    [other.userUuid, 5_100],
  )
  const [last] = await deliver([{ type: 'newest', uuid: other.userUuid, data: { name: other.lastName } }])
  await folded()
  await endOldData(pool(), new Date(Date.now() + 8 * 24 * 3_600_000))
  const { rows } = await pool().query("SELECT encode(body, 'escape') AS body FROM delivery WHERE id = $1", [
    last,
  ])
  expect(String(rows[0]?.body)).not.toContain(other.lastName)
})

it('notifies staff alone, as customers must not know of a check that is rewritten', async () => {
  const [ana, ben] = [await known(), await known()]
  const duplicate = {
    type: 'duplicateUser',
    subType: 'x',
    uuid: ana.userUuid,
    data: { duplicateOf: ben.userUuid },
  }
  await deliver([duplicate, { ...duplicate, type: 'KYC', data: { status: 'FULL_USER', with: ben.email } }])
  await folded()
  await pool().query(
    `INSERT INTO setting (key, value) VALUES ('settings', '{"retentionDays": {"senderNameMismatch": 5, "AML": 5}}')
     ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
  )
  const heard = new Set<string>()
  const owners = new Set<string | null>()
  const listener = openListener(env().databaseDirectUrl)
  listener.subscribe(changeChannel, (payload) => {
    for (const [subject, userUuid] of parseChange(payload)?.subjects ?? []) {
      heard.add(subject)
      owners.add(userUuid)
    }
  })
  await new Promise<void>((resolve) => listener.onListening(resolve))
  await endOldData(pool(), new Date(Date.now() + 6 * 24 * 3_600_000))
  const [mismatched, person] = [`transaction:${ana.transactions[0]}`, `entity:${ana.userUuid}`]
  // The open page of the person asks for this name alone.
  const page = somethingOf(ana.userUuid)
  await expect.poll(() => [...heard]).toEqual(expect.arrayContaining([mismatched, person, page]))
  heard.clear()
  await erase(ben.userUuid)
  await expect.poll(() => [...heard]).toEqual(expect.arrayContaining([person, page]))
  expect(owners).toEqual(new Set([null]))
  await listener.close()
})

vi.setConfig({ testTimeout: 60_000 })
