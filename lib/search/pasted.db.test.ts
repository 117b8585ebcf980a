import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { searchPeople } from '#lib/people/list-people.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { longLetters, plainLetters } from '#lib/platform/rules/pasted-text.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { search } from './search.ts'

const support = callerWith('support')
const wallet = '0x26d0bfaa7de6f4d5a8f06bd2c7b0f35b3d708932'
const hash = `0x${'371fa7c5'.repeat(8)}`
/** Each person has an address and a transaction. */
const people = new Map(
  [
    "o'brien@demo.test",
    'brien@demo.test',
    'ana@xn--mnchen-3ya.test',
    'max@maßschneiderei.test',
    'a&b@demo.test',
    'user=brien@demo.test',
  ].map((email) => [email, { userUuid: crypto.randomUUID(), transaction: crypto.randomUUID() }]),
)
const [obrien] = people.values()
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  for (const [email, { userUuid }] of people)
    await inTransaction(pool(), (tx) =>
      saveToDirectory(
        tx,
        {
          userUuid,
          email,
          targetAddress: null,
          firstName: 'Ana',
          lastName: email.startsWith('o') ? 'O’Brien' : 'Lima',
          country: null,
          status: null,
        },
        'sign-in',
        email.startsWith('o') ? 'KD–4711' : null,
      ),
    )
  const bodies = [...people.values()].map(({ userUuid, transaction }, nth) => ({
    type: 'fiatToCrypto',
    subType: 'PENDING',
    uuid: userUuid,
    data: {
      transactionUuid: transaction,
      ...(nth === 0
        ? { transactionHash: hash, walletAddress: wallet, amountFiat: 255.86, currencyFiat: 'EUR' }
        : {}),
    },
  }))
  await foldBodies(bodies, Date.now() - 60_000)
})
afterAll(() => database.stop())

const id = obrien?.transaction ?? ''
const grouped = (text: string, sign: string) => text.slice(0, 9) + sign + text.slice(9)

it.each([
  grouped(id, '\u200b'),
  grouped(id, '\u00ad'),
  grouped(id.slice(0, 12), '\u200b'),
  `\u200b${id.slice(0, 12)}`,
  `\u202a${id}\u202c`,
  id.replaceAll('-', '\u2011'),
  id.replaceAll('-', '\u2212'),
  id.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  `Transaction ID${id}`,
  `${id}Completed`,
  `${id}\tEUR`,
  `%7B${id}%7D`,
  id.replaceAll('-', '=2D'),
  grouped(hash, '\u2060'),
  `tx${hash}`,
  grouped(wallet, '\u200d'),
  `Wallet${wallet}`,
  `0×${wallet.slice(2)}`,
  `where is ${hash.slice(2)}?`,
  `{"walletAddress":"${wallet.slice(2)}"}`,
  `Referência ${shortId(id)}.`,
  '−255,86 €',
  '255.86 EUR;',
  `> ${id.slice(0, 19)}\n> ${id.slice(19)}`,
  `1. ${id.slice(0, 12)}`,
  `**${shortId(id)}**`,
  `| ${hash.slice(0, 12)} |`,
  '> €255.86',
])('finds by %j what the clean text finds', async (text) => {
  const found = await search(support, { text })
  const shown = [...found.named, ...found.rows].map(({ subjectId: one }) => one)
  expect(shown).toEqual([subjectId({ kind: 'transaction', id })])
})

it.each([
  ["o'brien@demo.test", "o'brien@demo.test"],
  ['o’brien@demo.test', "o'brien@demo.test"],
  ['mailto:O%27Brien@demo.test', "o'brien@demo.test"],
  ['brien@demo.test', 'brien@demo.test'],
  ['ana@münchen.test', 'ana@xn--mnchen-3ya.test'],
  ['ana@xn--mnchen-3ya.test', 'ana@xn--mnchen-3ya.test'],
  ['max@xn--maschneiderei-cdb.test', 'max@maßschneiderei.test'],
  ['a&b@demo.test', 'a&b@demo.test'],
  ['customer_email=a&b@demo.test', 'a&b@demo.test'],
  ['?email=brien@demo.test&x=1', 'brien@demo.test'],
])('by %s one finds %s and nobody else, in the search, at /go and among people', async (text, email) => {
  const who = people.get(email)
  const found = await search(support, { text })
  expect(found.rows.map(({ subjectId: one }) => one)).toEqual([
    subjectId({ kind: 'transaction', id: who?.transaction ?? '' }),
  ])
  // A whole address opens the page of the person at /go.
  const why = { field: 'email', text: email, marks: [{ from: 0, to: email.length }] }
  expect(found.people).toMatchObject([{ userUuid: who?.userUuid, why }])
  const among = await searchPeople(support, { q: text })
  expect(among).toMatchObject({ rows: [{ userUuid: who?.userUuid }] })
})

it('finds both whom an address may name whose beginning may be the name of a field', async () => {
  const { people: found } = await search(support, { text: 'user=brien@demo.test' })
  const both = ['brien@demo.test', 'user=brien@demo.test'].map(
    (email) => [people.get(email)?.userUuid ?? '', email] as const,
  )
  expect(new Map(found.map(({ userUuid, why }) => [userUuid, why.text]))).toEqual(new Map(both))
})

it.each(['O’Brien', "o'brien", 'O´Brien', 'KD-4711', 'kd–4711', 'KD\u20114711', 'Customer number KD-4711'])(
  'finds a person by %s as the directory has it',
  async (text) => {
    const found = await search(support, { text })
    expect(found.people.map(({ userUuid }) => userUuid)).toContain(obrien?.userUuid)
  },
)

it.each([
  ['Bruno', 'Lopes', ['1. Bruno Lopes', '> Lopes', '| Bruno Lopes |', '- [ ] **Bruno Lo**']],
  ['Łukasz', 'Żółw', ['lukasz', 'LUKASZ ZOLW', 'zolw', 'Łukasz Żó']],
  ['Jürgen', 'Müßig', ['jurgen', 'Juergen', 'MUESSIG', 'mussig', 'Müssig', 'müßig', 'Jürgen Müß']],
  ['Søren', 'Sørensen', ['Sorensen', 'soerensen', 'SØREN SØ']],
  ['Đorđe', 'Ðuræt Þórsœn', ['dorde', 'djordje', 'duraet', 'thorsoen', 'Þórsœn']],
  ['Aylin', 'Yıldız', ['yildiz', 'YILDIZ', 'Yıldız']],
  ['Joerg', 'Aasen', ['Jörg', 'Joerg Å', 'Åsen']],
  ['Rita', 'Reyes Jr.', ['Rita Reyes Jr.', 'rita reyes jr', 'Reyes']],
])('finds %s %s by any spelling, in the search and among people', async (firstName, lastName, texts) => {
  const userUuid = crypto.randomUUID()
  const known = {
    userUuid,
    email: null,
    targetAddress: null,
    country: null,
    status: null,
    firstName,
    lastName,
  }
  await inTransaction(pool(), (tx) => saveToDirectory(tx, known, 'sign-in'))
  const name = `${firstName} ${lastName}`
  const masked = name.replace(/(\S)\S+/g, '$1•••')
  for (const text of texts) {
    const [found] = (await search(support, { text })).people
    expect(found, text).toMatchObject({ userUuid, why: { field: 'name', text: name } })
    expect(await searchPeople(support, { q: text }), text).toMatchObject({ rows: [{ userUuid }], cut: false })
  }
  // An auditor finds whole names alone, in any spelling, and reads none.
  for (const text of [lastName, name, plainLetters(name).toUpperCase(), longLetters(name)]) {
    const [found] = (await search(callerWith('auditor'), { text })).people
    expect(found, text).toMatchObject({ userUuid, why: { field: 'name', text: masked, marks: [] } })
    expect(JSON.stringify(found), text).not.toContain(lastName.slice(1))
  }
})

it.each([
  ['Müßig', 'muessig', 0, 5],
  ['Straßer', 'stras', 0, 5],
  ['van Ærø', 'aeroe', 4, 7],
  ['Ana Müller', 'Mül', 4, 7],
])('marks in %s what %s says', async (lastName, text, from, to) => {
  const userUuid = crypto.randomUUID()
  const known = { userUuid, email: null, targetAddress: null, country: null, status: null, firstName: null }
  await inTransaction(pool(), (tx) => saveToDirectory(tx, { ...known, lastName }, 'sign-in'))
  const { people: found } = await search(support, { text })
  expect(found.find((one) => one.userUuid === userUuid)?.why).toEqual({
    field: 'name',
    text: lastName,
    marks: [{ from, to }],
  })
})

it('finds by one text the person of this name and the person of this number', async () => {
  const known = { targetAddress: null, country: null, status: null, email: null, firstName: null }
  const [named, numbered] = [crypto.randomUUID(), crypto.randomUUID()]
  const save = (userUuid: string, lastName: string, number: string | null) =>
    inTransaction(pool(), (tx) => saveToDirectory(tx, { ...known, userUuid, lastName }, 'sign-in', number))
  for (const [text, number] of [
    ['Company 47', '47'],
    ['Client 4712', '4712'],
    ['Event 21 SL', '21SL'],
  ] as const) {
    await save(named, text, null)
    await save(numbered, 'Lima', number)
    const { people: found } = await search(support, { text })
    const marked = (field: string, value: string) => ({
      field,
      text: value,
      marks: [{ from: 0, to: value.length }],
    })
    expect(new Map(found.map(({ userUuid, why }) => [userUuid, why])), text).toEqual(
      new Map([
        [named, marked('name', text)],
        [numbered, marked('customer-number', number)],
      ]),
    )
  }
})

it('takes no address for another with letters written as two', async () => {
  const known = { targetAddress: null, country: null, status: null, firstName: null, lastName: null }
  const userUuid = crypto.randomUUID()
  await inTransaction(pool(), (tx) =>
    saveToDirectory(tx, { ...known, userUuid, email: 'mueller@demo.test' }, 'sign-in'),
  )
  expect((await search(support, { text: 'müller@demo.test' })).people).toEqual([])
  expect((await search(support, { text: 'mueller@demo.test' })).people).toMatchObject([{ userUuid }])
})

it('answers each line of a paste by its clean text', async () => {
  const { lines } = await search(support, {
    text: `${grouped(id, '\u200b')}\u2028o’brien@demo.test\nIBAN: DE89 3704`,
  })
  expect(lines?.map(({ subject, text }) => [text, subject?.subjectId])).toEqual([
    [id, subjectId({ kind: 'transaction', id })],
    ["o'brien@demo.test", subjectId({ kind: 'transaction', id })],
    ['IBAN: DE89 3704', undefined],
  ])
})

it('says of a name of a chain what to paste in its place', async () => {
  const found = await search(support, { text: 'ana.eth' })
  expect(found).toMatchObject({
    explanation: expect.stringContaining('paste its address'),
    people: [],
    rows: [],
  })
})
