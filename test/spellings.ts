import crypto from 'node:crypto'
import type pg from 'pg'
import { expect } from 'vitest'
import { invite } from '#lib/identity/links/invitations.ts'
import { userData } from '#lib/people/erasure/export-user.ts'
import { isIban } from '#lib/search/rules/iban.ts'
import { search } from '#lib/search/search.ts'
import { linkTo, readLink } from '#lib/search/search-link.ts'
import { callerWith, newBrowser } from './callers.ts'
import type { withPersonDatabase } from './person-database.ts'
import { hex } from './sample-people.ts'

type PersonDatabase = ReturnType<typeof withPersonDatabase>

const grouped = (value: string, separator: string) => value.replace(/(.{4})(?=.)/g, `$1${separator}`)

/** The check digits of the Dutch account are right. */
function dutchIban(): string {
  const account = `ABNA${Array.from({ length: 10 }, () => crypto.randomInt(10)).join('')}`
  return (
    [...Array(97).keys()]
      .map((check) => `nl${String(check + 2).padStart(2, '0')}${account.toLowerCase()}`)
      .find(isIban) ?? ''
  )
}

/** People and programs write the same value in these ways. */
const spellingsOf = (value: string): string[] =>
  value.includes('@')
    ? [
        value,
        value.toUpperCase(),
        `<${value}>`,
        `to:${value}`,
        `mailto:${value}?x`,
        value.replace('@', '%40'),
        value.replace('@', '=40'),
        value.replace('@', '＠').replace('.', '\u200b.'),
        ` ${value} `,
        `of ${value.replace('@', ' (at) ')}`,
        `${value.replace('@', ' [at] ').replaceAll('.', ' [dot] ')}, twice`,
        value.replace('@', '{AT}').replaceAll('.', '(dot)'),
        value.replace('@', '(at)'),
        value.replace('@', '&#64;'),
        value.replace('@', '&#x40;').replaceAll('.', '&period;'),
        value.replace('@', '\\u0040'),
        value.replace('@', '%2540'),
        `Hi\\n${value}\\nBye`,
      ]
    : [
        value,
        value.toUpperCase(),
        `<${value}>`,
        `no. ${value}, please`,
        `it is ${grouped(value, ' ')}`,
        ...(value.length > 20 || isIban(value)
          ? ['-', '.', '·', '_'].map((sign) => grouped(value, sign))
          : []),
        ...(isIban(value) ? [`${value.toUpperCase()}EUR`, `IBAN${value}`, `iban_${value}_eur`] : []),
        ...(value.startsWith('0x') ? [value.slice(2), value.slice(2).toUpperCase()] : []),
        grouped(value, '&nbsp;'),
        `${value.slice(0, 3)}\\u200b${value.slice(3)}`,
        value.replace(/\d/g, (digit) => `&#${48 + Number(digit)};`),
        `Rang, ${grouped(value, '\u200b')}`,
        `${value.slice(0, 4)}\u00ad${value.slice(4)}`,
        `${value.slice(0, 4)}%E2%80%8B${value.slice(4)}`,
        value
          .replaceAll('-', '\u2011')
          .replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
        value.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
        ...(value.includes('-') ? [value.replaceAll('-', '%2D'), value.replaceAll('-', '=2D')] : []),
      ]

/**
 * The directory has some of the person's values; only their own events have the others, and one of these events has
 * a new type.
 */
export async function somebody({ known, deliver, folded }: PersonDatabase) {
  const person = await known()
  const own = {
    iban: `GB${hex(10).replace(/\D/g, '7')}`,
    dutch: dutchIban(),
    wallet: `0x${hex(20)}`,
    number: `7${Date.now()}`.slice(0, 12),
    email: `only.${hex(4)}@new.test`,
    digits: `5${Date.now()}`.slice(0, 12),
  }
  await deliver([
    // The account number is a number here, as it is a text elsewhere.
    {
      type: 'unblockBankAccount',
      uuid: person.userUuid,
      data: { uuid: crypto.randomUUID(), status: 'ACTIVE', account_number: Number(own.digits) },
    },
    {
      type: 'brandNewAccount',
      subType: 'OPENED',
      uuid: person.userUuid,
      data: {
        account: { iban: own.iban, accountNumber: own.number },
        other: { iban: own.dutch },
        walletAddress: own.wallet,
        emailAddress: own.email,
      },
    },
  ])
  await folded()
  const { email, userUuid, iban, accountNumber, account, targetAddress } = person
  const values = [
    email.toLowerCase(),
    userUuid,
    iban,
    accountNumber,
    account,
    targetAddress,
    ...Object.values(own),
  ]
  return { person, values: values.map((value) => value.toLowerCase()) }
}

/** Each delivery is about somebody else and holds the text in one of the places that a body has. */
export const bodiesWith = (text: string): (object | string)[] => {
  const uuid = crypto.randomUUID()
  const [json, begin] = [JSON.stringify(text), `{"type":"AML","subType":"statusUpdate","uuid":"${uuid}"`]
  const escaped = json.replace(/[-@\d]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
  const about = (data: object, more: object = {}) => ({
    type: 'AML',
    subType: 'statusUpdate',
    uuid,
    data,
    ...more,
  })
  return [
    about({ status: text }),
    about({ note: text }),
    about({ note: `A longer text, in which somebody says ${text} and more than that` }),
    about({ [text]: 'x' }),
    about({ deep: { deeper: { [text]: 'x' } } }),
    about({ list: ['x', [text, { y: text }]] }),
    ...(/^[1-9]\d{7,14}$/.test(text) ? [about({ list: ['x', Number(text)] })] : []),
    about({}, { [text]: 'x', more: { [text]: text } }),
    { type: 'brandNew', subType: text, uuid, data: {} },
    { type: 'brandNewToo', subType: 'x', data: { text } },
    { ...about({}), data: text },
    { ...about({}), data: ['x', [text]] },
    // Only the last value of a repeated key counts, but all are stored.
    `${begin},"data":{"a":${json},"a":"y"}}`,
    `${begin},"data":{"a":{"b":[${json}]},"a":"y"}}`,
    `${begin},"data":{${json}:1,"list":[{"c":${json},"c":2}]},"data":{"status":"PASSED"}}`,
    `${begin},"more":${escaped},"data":[${escaped}]}`,
    `${begin},"data":{"a":${escaped},"\\u0061":"y"}}`,
  ]
}

/** The text holds these values, in any spelling of the database. */
function foundIn(text: string, values: readonly string[]): string[] {
  const compact = [...Array(2)]
    .reduce<string>(
      (said) =>
        said.replace(/\\+u00(2d|3\d|40)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
      text,
    )
    .replace(/\\+u200b/g, '')
    .replace(/&#(\d\d);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/ ?[([{]at[)\]}] ?|&#x40;|%2540/g, '@')
    .replace(/ ?[([{]dot[)\]}] ?|&period;/g, '.')
    .replaceAll('&nbsp;', '')
    .replaceAll('%e2%80%8b', '')
    .replace(/[%=]40/g, '@')
    .replace(/[%=]2d|\u2011/g, '-')
    .replace(/[\u0660-\u0669]/g, (digit) => String((digit.codePointAt(0) ?? 0) - 0x660))
    .normalize('NFKC')
    .replace(/[\s\u200b\u00ad]+/g, '')
  const bare = compact.replace(/[^a-z0-9]/g, '')
  return values.filter((value) =>
    value.includes('@') || /^\d{1,20}$/.test(value)
      ? compact.includes(value)
      : bare.includes(value.replace(/^0x|[^a-z0-9]/g, '')),
  )
}

/** Staff or strangers write their own texts in each of these tables. */
export async function write(pool: pg.Pool, texts: readonly string[]) {
  for (const sql of written) await pool.query(`${sql} FROM unnest($1::text[]) AS said`, [texts])
}

const written = [
  `INSERT INTO transaction_note (subject_id, id, text, author) SELECT 'transaction:x', gen_random_uuid(), 'Rang: ' || said, 'x'`,
  `INSERT INTO overview_mute (kind, about, note, muted_by, covers_until) SELECT 'held', gen_random_uuid(), said, 'x', now()`,
  `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state) SELECT gen_random_uuid(), 'fold', '{}', 1, said, '', 1, 'done'`,
  `INSERT INTO gap (id, kind, about, began_at, reason) SELECT gen_random_uuid(), 'silence', gen_random_uuid(), now(), said`,
  `INSERT INTO user_import (id, file_name, actor, state, total, broken, created) SELECT gen_random_uuid(), said || '.csv', '', 'done', 1, 0, 0`,
  `INSERT INTO admin_notice (id, kind, reason, facts) SELECT gen_random_uuid(), 'replay-started', said, jsonb_build_object('to', said)`,
]

/** A part is each spelling of each value in every n-th place, so that every spelling is in every place, of some value. */
const placesOf = (values: readonly string[], part: number) =>
  values.flatMap((value, nth) =>
    spellingsOf(value).flatMap((text, of) =>
      bodiesWith(text).filter((_, place) => (nth + of + place) % part === 0),
    ),
  )

/** An erasure leaves no spelling of a person. */
export async function leavesNoSpelling(database: PersonDatabase, part: number) {
  const { person, values } = await somebody(database)
  const { pool, deliver, folded, dump, erase } = database
  const spelled = values.flatMap(spellingsOf)
  await deliver(placesOf(values, part))
  await deliver([
    {
      type: 'AML',
      subType: `to ${person.email}`,
      uuid: person.userUuid,
      data: { status: `<${person.email}>`, chain: person.iban },
    },
  ])
  await folded()
  await write(pool(), spelled)
  const admin = callerWith('admin')
  const reason = 'she is to help'
  const email = person.email.toUpperCase()
  await invite(admin, { name: `${person.firstName} Q`, email, role: 'support', reason }, newBrowser())
  for (const value of values) await search(callerWith('compliance'), { text: value })
  const links = await Promise.all(spelled.map((text) => linkTo(admin, 'people', text)))
  const before = await dump(['audit'])
  expect(foundIn(before, values)).toEqual(values)
  expect(before).toContain(`${person.firstName} q`.toLowerCase())
  await erase(person.userUuid)
  expect(await stillOpen(links)).toEqual([])
  const after = await dump(['audit'])
  expect(foundIn(after, values)).toEqual([])
  expect(after).not.toContain(person.firstName.toLowerCase())
}

/** The links still have their texts. */
export async function stillOpen(links: readonly string[]): Promise<string[]> {
  const opened = await Promise.all(links.map((link) => readLink('people', link)))
  return opened.flatMap((one) => (one === null || one === 'erased' ? [] : [one.text]))
}

/** An export has every spelling of a person. */
export async function exportsEverySpelling(database: PersonDatabase, part: number) {
  const { person, values } = await somebody(database)
  const places = placesOf(values, part)
  const ids = await database.deliver(places)
  await database.folded()
  await invite(
    callerWith('admin'),
    { name: `${person.firstName} Q`, email: person.email, role: 'support', reason: 'she is to help' },
    newBrowser(),
  )
  const held = JSON.parse((await Array.fromAsync(userData(database.pool(), person.userUuid))).join(''))
  const given = new Set(held.namedElsewhere.map(({ delivery }: { delivery: string }) => delivery))
  expect(places.filter((_, nth) => !given.has(ids[nth])).map((place) => JSON.stringify(place))).toEqual([])
  expect(held.adminNotices).toMatchObject([
    { kind: 'member-invited', facts: { member: `${person.firstName} Q` } },
  ])
}
