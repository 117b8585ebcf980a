import crypto from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { invite } from '#lib/identity/links/invitations.ts'
import { search } from '#lib/search/search.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { hex } from '../../../test/sample-people.ts'
import { userData } from './export-user.ts'

const { pool, deliver, folded, known, dump, erase } = withPersonDatabase()

const grouped = (value: string, separator: string) => value.replace(/(.{4})(?=.)/g, `$1${separator}`)

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
      ]
    : [
        value,
        value.toUpperCase(),
        `<${value}>`,
        `no. ${value}, please`,
        `it is ${grouped(value, ' ')}`,
        ...(value.length > 20 ? [grouped(value, '-')] : []),
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
async function somebody() {
  const person = await known()
  const own = {
    iban: `GB${hex(10).replace(/\D/g, '7')}`,
    wallet: `0x${hex(20)}`,
    number: `7${Date.now()}`.slice(0, 12),
    email: `only.${hex(4)}@new.test`,
  }
  await deliver([
    {
      type: 'brandNewAccount',
      subType: 'OPENED',
      uuid: person.userUuid,
      data: {
        account: { iban: own.iban, accountNumber: own.number },
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
const bodiesWith = (text: string): object[] => {
  const uuid = crypto.randomUUID()
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
    about({}, { [text]: 'x', more: { [text]: text } }),
    { type: 'brandNew', subType: text, uuid, data: {} },
    { type: 'brandNewToo', subType: 'x', data: { text } },
  ]
}

/** The text holds these values, in any spelling of the database. */
function foundIn(text: string, values: readonly string[]): string[] {
  const compact = text
    .replaceAll('%e2%80%8b', '')
    .replace(/[%=]40/g, '@')
    .replace(/[%=]2d|\u2011/g, '-')
    .replace(/[\u0660-\u0669]/g, (digit) => String((digit.codePointAt(0) ?? 0) - 0x660))
    .normalize('NFKC')
    .replace(/[\s\u200b\u00ad]+/g, '')
  const bare = compact.replace(/[^a-z0-9]/g, '')
  return values.filter((value) =>
    value.includes('@') || value.length <= 20
      ? compact.includes(value)
      : bare.includes(value.replace(/[^a-z0-9]/g, '')),
  )
}

it('leaves no value of a person in any column of any table, however it is spelled', async () => {
  const { person, values } = await somebody()
  const spelled = values.flatMap(spellingsOf)
  await deliver(spelled.flatMap(bodiesWith))
  await deliver([
    {
      type: 'AML',
      subType: `to ${person.email}`,
      uuid: person.userUuid,
      data: { status: `<${person.email}>`, chain: person.iban },
    },
  ])
  await folded()
  for (const text of spelled) {
    const id = crypto.randomUUID()
    for (const sql of written) await pool().query(sql.replaceAll('$id', `'${id}'`), [text])
  }
  const admin = callerWith('admin')
  const reason = 'she is to help'
  const email = person.email.toUpperCase()
  await invite(admin, { name: `${person.firstName} Q`, email, role: 'support', reason }, newBrowser())
  for (const value of values) await search(callerWith('compliance'), { text: value })
  const before = await dump(['audit'])
  expect(foundIn(before, values)).toEqual(values)
  expect(before).toContain(`${person.firstName} q`.toLowerCase())
  await erase(person.userUuid)
  const after = await dump(['audit'])
  expect(foundIn(after, values)).toEqual([])
  expect(after).not.toContain(person.firstName.toLowerCase())
})

/** Staff or strangers write their own text in each of these tables. */
const written = [
  `INSERT INTO transaction_note (subject_id, id, text, author) VALUES ('transaction:x', $id, 'Rang: ' || $1::text, 'x')`,
  `INSERT INTO overview_mute (kind, about, note, muted_by, covers_until) VALUES ('held', $id, $1::text, 'x', now())`,
  `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state) VALUES ($id, 'fold', '{}', 1, $1::text, '', 1, 'done')`,
  `INSERT INTO gap (id, kind, about, began_at, reason) VALUES ($id, 'silence', $id, now(), $1::text)`,
  `INSERT INTO user_import (id, file_name, actor, state, total, broken, created) VALUES ($id, $1::text || '.csv', '', 'done', 1, 0, 0)`,
  `INSERT INTO admin_notice (id, kind, reason, facts) VALUES ($id, 'replay-started', $1::text, jsonb_build_object('to', $1::text))`,
]

it('exports every spelling with the person’s data', async () => {
  const { person, values } = await somebody()
  const places = values.flatMap(spellingsOf).flatMap(bodiesWith)
  const ids = await deliver(places)
  await folded()
  await invite(
    callerWith('admin'),
    { name: `${person.firstName} Q`, email: person.email, role: 'support', reason: 'she is to help' },
    newBrowser(),
  )
  const held = JSON.parse((await Array.fromAsync(userData(pool(), person.userUuid))).join(''))
  const given = new Set(held.namedElsewhere.map(({ delivery }: { delivery: string }) => delivery))
  expect(places.filter((_, nth) => !given.has(ids[nth])).map((place) => JSON.stringify(place))).toEqual([])
  expect(held.adminNotices).toMatchObject([
    { kind: 'member-invited', facts: { member: `${person.firstName} Q` } },
  ])
})

it('removes an invitation that a member used, though it went to no address', async () => {
  const { person } = await somebody()
  const [member, link] = [crypto.randomUUID(), crypto.randomUUID()]
  await pool().query(
    `INSERT INTO member (id, user_uuid, name, role, removed_at) VALUES ($1, $2, 'Josefine Quist', 'support', now())`,
    [member, person.userUuid],
  )
  await pool().query(
    `INSERT INTO access_link (id, kind, token_digest, name, role, invitee, created_by, expires_at, used_at, member_id)
     VALUES ($1, 'invitation', $2, 'Josefine Quist', 'support', 'josefine quist', '', now(), now(), $3)`,
    [link, crypto.randomBytes(32), member],
  )
  await pool().query(
    `INSERT INTO admin_notice (id, kind, about, facts) VALUES ($1::uuid, 'member-invited', $1::uuid::text, '{"member": "Josefine Quist"}')`,
    [link],
  )
  await erase(person.userUuid)
  expect(await dump(['audit'])).not.toContain('quist')
})

vi.setConfig({ testTimeout: 60_000 })
