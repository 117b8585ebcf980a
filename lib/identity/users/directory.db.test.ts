import crypto from 'node:crypto'
import fs from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeChannel, parseChange } from '#lib/platform/change-notification.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import {
  findUserByEmail,
  findUsersByCustomerNumber,
  type KnownUser,
  saveCustomerNumber,
  saveToDirectory,
} from './directory.ts'
import { toTerm } from './person-texts.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const join = (user: KnownUser, source: 'sign-up' | 'sign-in' = 'sign-in') =>
  inTransaction(pool(), (tx) => saveToDirectory(tx, user, source))

async function person(given: Partial<KnownUser>): Promise<string> {
  const userUuid = crypto.randomUUID()
  await join({ ...nothing, ...given, userUuid })
  return userUuid
}

const nothing = {
  email: null,
  targetAddress: null,
  firstName: null,
  lastName: null,
  country: null,
  status: null,
}

const termsOf = async (userUuid: string) =>
  (
    await pool().query('SELECT term FROM person_term WHERE user_uuid = $1 ORDER BY term', [userUuid])
  ).rows.map(({ term }) => String(term))

it('keeps what it knew when the service leaves something out', async () => {
  const userUuid = crypto.randomUUID()
  await join({ ...nothing, userUuid, email: 'Ana@Demo.Test', firstName: 'Ana' }, 'sign-up')
  await join({ ...nothing, userUuid, status: 'FULL_USER' })
  expect(await prisma().person.findUnique({ where: { userUuid } })).toMatchObject({
    email: 'Ana@Demo.Test',
    firstName: 'Ana',
    status: 'FULL_USER',
    source: 'sign-up',
  })
  expect(await findUserByEmail(cleanText(' ana@demo.test '))).toEqual({ userUuid })
})

it('assigns an e-mail address to the user for whom the service named it last', async () => {
  const email = 'moved@demo.test'
  const [one, other] = [await person({ email }), await person({ email })]
  expect(await findUserByEmail(cleanText(email))).toEqual({ userUuid: other })
  expect(await prisma().person.findUnique({ where: { userUuid: one } })).toMatchObject({ email })
})

it('holds two people whose addresses differ in case only, and finds each by the exact spelling', async () => {
  const upper = await person({ email: 'Kim@case.test' })
  expect(await findUserByEmail(cleanText('KIM@case.test'))).toEqual({ userUuid: upper })
  const lower = await person({ email: 'kim@case.test' })
  expect(await findUserByEmail(cleanText('Kim@case.test'))).toEqual({ userUuid: upper })
  expect(await findUserByEmail(cleanText('kim@CASE.test'))).toEqual({ userUuid: lower })
  expect(await findUserByEmail(cleanText('KIM@case.test'))).toBeNull()
})

it('finds a person by the merchant’s own number, however it is typed, until it is taken away', async () => {
  const userUuid = await person({ email: 'number@demo.test' })
  const another = await person({ lastName: 'KD-4711' })
  const give = (number: string | null) =>
    inTransaction(pool(), (tx) => saveCustomerNumber(tx, userUuid, number))
  expect(await give('KD-4711')).toBe(true)
  expect(await findUsersByCustomerNumber(cleanText(' kd-4711'))).toEqual([userUuid])
  expect(await termsOf(another)).toContain('kd-4711')
  await join({ ...nothing, userUuid, status: 'FULL_USER' })
  expect(await findUsersByCustomerNumber(cleanText('KD-4711'))).toEqual([userUuid])
  expect(await give(null)).toBe(true)
  expect(await findUsersByCustomerNumber(cleanText('KD-4711'))).toEqual([])
  expect(await inTransaction(pool(), (tx) => saveCustomerNumber(tx, crypto.randomUUID(), 'x'))).toBe(false)
})

it('tells open pages of somebody new and of what changed, and of nothing that stayed as it was', async () => {
  const reported: unknown[] = []
  const listener = openListener(database.url)
  listener.subscribe(changeChannel, (payload) => reported.push(parseChange(payload)?.subjects))
  await new Promise<void>((resolve) => listener.onListening(resolve))
  const one = await person({ email: 'live@demo.test', firstName: 'Live' })
  // A person's page, which is rendered again with each change, does this.
  await join({ ...nothing, userUuid: one, email: 'live@demo.test' })
  const other = await person({})
  await join({ ...nothing, userUuid: one.toUpperCase(), status: 'FULL_USER' })
  await join({ ...nothing, userUuid: one, status: 'FULL_USER' })
  await inTransaction(pool(), (tx) => saveCustomerNumber(tx, other, 'KD-1'))
  await expect
    .poll(() => reported)
    .toEqual([one, other, one, other].map((userUuid) => [[`entity:${userUuid}`, userUuid]]))
  await listener.close()
})

it('knows a person by names without accents, and forgets the old ones when they change', async () => {
  const userUuid = await person({ firstName: 'José', lastName: 'Núñez Ortega', email: 'Jose@demo.test' })
  expect(await termsOf(userUuid)).toEqual(
    [userUuid, 'jose nunez ortega', 'jose@demo.test', 'nunez', 'nunez ortega', 'ortega'].sort(),
  )
  await join({ ...nothing, userUuid, lastName: 'Lima' })
  expect(await termsOf(userUuid)).toEqual([userUuid, 'jose lima', 'jose@demo.test', 'lima'].sort())
})

it('knows a name by its letters as one and as two, and an address only as it is', async () => {
  const userUuid = await person({ firstName: 'Łukasz', lastName: 'Müller', email: 'mül@demo.test' })
  expect(await termsOf(userUuid)).toEqual(
    [userUuid, 'lukasz muller', 'lukasz mueller', 'mul@demo.test', 'muller', 'mueller'].sort(),
  )
})

it.each([
  ['Łukasz', 'Żółw', null],
  ['JÜRGEN', 'MÜSSIG  GROß', 'KÜ-ß 1'],
  ['Søren', 'Sørensen Ærø', 'ŁÓDŹ'],
  [null, 'Đorđević', null],
  ['Mu\u0308cke', 'Åse–Ångström', null],
  ['Ana', 'D’Öre', 'ana@ü.test'],
  ['ÞÓR', 'Yıldız Œuvré', 'C-1'],
  ['Ana', 'García', 'C-2'],
])(
  'the migration gives %s %s the terms of a person who is saved now',
  async (firstName, lastName, number) => {
    const userUuid = await person({ firstName, lastName, email: `${crypto.randomUUID()}@ß.test` })
    if (number !== null) await inTransaction(pool(), (tx) => saveCustomerNumber(tx, userUuid, number))
    const key = async () =>
      (await pool().query('SELECT customer_number_key FROM person WHERE user_uuid = $1', [userUuid])).rows
    const saved = [await termsOf(userUuid), await key()]
    const before = (text: string) =>
      cleanText(text).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ')
    const { rows } = await pool().query<{ email: string }>('SELECT email FROM person WHERE user_uuid = $1', [
      userUuid,
    ])
    const texts = [
      userUuid,
      rows[0]?.email ?? '',
      `${firstName ?? ''} ${lastName}`,
      lastName,
      ...lastName.split(/\s+/),
      number ?? '',
    ]
    const old = [...new Set(texts.map((text) => before(text)))].filter((text) => text !== '')
    await pool().query('DELETE FROM person_term WHERE user_uuid = $1', [userUuid])
    await pool().query('INSERT INTO person_term (user_uuid, term) SELECT $1, unnest($2::text[])', [
      userUuid,
      old,
    ])
    await pool().query('UPDATE person SET customer_number_key = $2 WHERE user_uuid = $1', [
      userUuid,
      number && before(number),
    ])
    const file = 'prisma/migrations/20261130000020_plain_letters/migration.sql'
    await pool().query(fs.readFileSync(file, 'utf8'))
    expect([await termsOf(userUuid), await key()]).toEqual(saved)
  },
)

it.each([
  ['  ÁNA\t Ruiz ', 'ana ruiz'],
  ['a\0b', 'a b'],
  ['\ud800', '\ufffd'],
  ['ŁØĐẞÆŒİIıÞÐ', 'lodssaeoeiiithd'],
  ['ß'.repeat(101), 's'.repeat(200)],
  ['x'.repeat(300), 'x'.repeat(200)],
])('%j is looked up as %j', (text, term) => {
  expect(toTerm(text)).toBe(term)
})
