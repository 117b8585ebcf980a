import crypto from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { invite } from '#lib/identity/links/invitations.ts'
import { openLink } from '#lib/identity/links/set-up.ts'
import { isIban } from '#lib/search/rules/iban.ts'
import { search } from '#lib/search/search.ts'
import { linkTo, readLink } from '#lib/search/search-link.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { aPerson, hex } from '../../../test/sample-people.ts'
import { listPeople } from '../list-people.ts'
import { userData } from './export-user.ts'

const { pool, deliver, enter, folded, known, dump, erase } = withPersonDatabase()

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
async function somebody() {
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
const bodiesWith = (text: string): (object | string)[] => {
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
  const links = await Promise.all(spelled.map((text) => linkTo(admin, 'people', text)))
  const before = await dump(['audit'])
  expect(foundIn(before, values)).toEqual(values)
  expect(before).toContain(`${person.firstName} q`.toLowerCase())
  await erase(person.userUuid)
  expect(await stillOpen(links)).toEqual([])
  const after = await dump(['audit'])
  expect(foundIn(after, values)).toEqual([])
  expect(after).not.toContain(person.firstName.toLowerCase())
})

/** The links still have their texts. */
async function stillOpen(links: readonly string[]): Promise<string[]> {
  const opened = await Promise.all(links.map((link) => readLink('people', link)))
  return opened.flatMap((one) => (one === null || one === 'erased' ? [] : [one.text]))
}

it.each(['4711', 'K-471', 'K7'])(
  'leaves no search that finds a person by the number %s or a short name',
  async (number) => {
    const person = { ...aPerson(), number, firstName: 'Bo', lastName: 'Li Jr.' }
    await enter(person)
    const admin = callerWith('admin')
    const linksTo = (texts: readonly string[]) =>
      Promise.all(texts.map((text) => linkTo(admin, 'people', text)))
    const named = [
      ...[number, `${number}.`, `"${number}"`, `• ${number}`, `#${number}`, `(${number})`, `="${number}"`],
      ...[`Customer number: ${number}`, `Kunde ${number}`, `- Kundennummer ${number}.`],
      ...['Bo Li Jr', 'Name: Bo Li Jr.', 'Name: Li Jr.', '• Li Jr', 'Li Jr’s'],
    ]
    const others = [`${number}0`, `Customer number: 9${number}`, number.slice(0, -1), 'Name: Li Sr.']
    for (const q of named)
      expect((await listPeople(admin, { q })).rows, q).toMatchObject([{ userUuid: person.userUuid }])
    const [links, kept] = [await linksTo(named), await linksTo(others)]
    await erase(person.userUuid)
    expect(await stillOpen(links)).toEqual([])
    expect(await stillOpen(kept)).toEqual(others)
  },
)

it('leaves the searches for others when somebody is called by a dot', async () => {
  const person = { ...aPerson(), firstName: 'Bo', lastName: '.' }
  await enter(person)
  const links = await Promise.all(
    ['Nadia', 'K-4712'].map((text) => linkTo(callerWith('admin'), 'people', text)),
  )
  await erase(person.userUuid)
  expect(await stillOpen(links)).toEqual(['Nadia', 'K-4712'])
})

it('leaves what only looks like a value of the person', async () => {
  const { person, values } = await somebody()
  const [number, email] = [person.accountNumber, person.email.toLowerCase()]
  const [iban = ''] = values.filter((value) => value.startsWith('nl'))
  // A search for a part of a value may have been for the person.
  const part = `Iban ${iban.slice(0, -1)}`
  const others = [
    `9${number}`,
    `It is ${number}0`,
    `${number.slice(0, 6)} ${number.slice(6)}7`,
    `di${email}`,
    `of x.${email}, please`,
    `j-${email.replace('@', ' (at) ')}`,
    `di${email.replace('@', '&#64;')}`,
    `${email}ing`,
    email.replace('@demo.', '@mydemo.'),
    part,
    `${iban.slice(0, 4)} and ${iban.slice(4)}`,
    `${email.split('@')[0]} is at demo`,
    '100 % = all; &#64; \\u0040 (at) 日本',
  ]
  const ids = await deliver(others.flatMap((text) => bodiesWith(text).slice(0, 1)))
  await folded()
  for (const text of others)
    for (const sql of written) await pool().query(sql.replaceAll('$id', `'${crypto.randomUUID()}'`), [text])
  const links = await Promise.all(others.map((text) => linkTo(callerWith('admin'), 'people', text)))
  await erase(person.userUuid)
  expect(await stillOpen(links)).toEqual(others.filter((text) => text !== part))
  const { rows } = await pool().query(KEPT, [ids])
  for (const text of others)
    expect(
      rows.filter(({ said }) => said.includes(text)).map(({ place }) => place),
      text,
    ).toEqual(['body', 'file', 'gap', 'mute', 'note', 'notice', 'replay'])
})

const KEPT = `
  SELECT 'body' AS place, convert_from(body, 'UTF8')::json #>> '{data,status}' AS said FROM delivery WHERE id = ANY($1::uuid[])
  UNION ALL SELECT 'file', file_name FROM user_import
  UNION ALL SELECT 'gap', reason FROM gap WHERE reason IS NOT NULL
  UNION ALL SELECT 'mute', note FROM overview_mute
  UNION ALL SELECT 'note', text FROM transaction_note
  UNION ALL SELECT 'notice', reason FROM admin_notice WHERE reason = facts ->> 'to'
  UNION ALL SELECT 'replay', reason FROM replay ORDER BY 1`

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

it('removes former members who had no account, or have joined again, and leaves a colleague', async () => {
  const { person } = await somebody()
  const [byPasskey, bySso, before, colleague] = Array.from({ length: 4 }, () => crypto.randomUUID())
  await pool().query(
    `INSERT INTO member (id, name, role, email, sso_issuer, sso_subject, sso_email, former_user_uuid, removed_at) VALUES
       ($1, 'Josefine Quist', 'admin', upper($5), NULL, NULL, NULL, NULL, now()),
       ($2, 'Jo Quist', 'support', NULL, 'https://sso.test', 'quist', $5, NULL, now()),
       ($3, 'J. Quist', 'support', 'quist@other.test', NULL, NULL, NULL, $6, now()),
       ($4, 'Lee Stays', 'support', 'lee@other.test', NULL, NULL, NULL, NULL, now())`,
    [byPasskey, bySso, before, colleague, person.email, person.userUuid],
  )
  for (const id of [byPasskey, bySso, before, colleague]) {
    await pool().query(
      `INSERT INTO session (id, token_digest, member_id, method, role, ip, idle_expires_at, expires_at)
       VALUES ($1::uuid, convert_to($1::uuid::text, 'UTF8'), $1::uuid, 'passkey', 'support', '203.0.113.77', now(), now())`,
      [id],
    )
    await pool().query(
      `INSERT INTO admin_notice (id, kind, actor, actor_name, about, facts, seen_by)
       SELECT gen_random_uuid(), 'member-removed', by, by_name, about, jsonb_build_object('member', about_name), ARRAY[$1::text, 'x']
       FROM member, LATERAL (VALUES ($1::text, name, 'x', 'Max'), ('x', 'Max', $1::text, name)) AS one (by, by_name, about, about_name)
       WHERE id = $1::uuid`,
      [id],
    )
  }
  await erase(person.userUuid)
  expect(await dump(['audit'])).not.toContain('quist')
  const left = async (sql: string) => (await pool().query(sql)).rows
  expect(await left(`SELECT member_id FROM session WHERE ip = '203.0.113.77'`)).toEqual([
    { member_id: colleague },
  ])
  expect(await left(`SELECT name FROM member WHERE name LIKE 'Lee%'`)).toHaveLength(1)
  expect(await left(`SELECT FROM admin_notice WHERE '${byPasskey}' = ANY(seen_by)`)).toEqual([])
  expect(await left(`SELECT DISTINCT seen_by FROM admin_notice WHERE actor_name = 'Lee Stays'`)).toEqual([
    { seen_by: [colleague, 'x'] },
  ])
})

it('exports and removes whoever opened an invitation and has not joined', async () => {
  const { person } = await somebody()
  const email = person.email.toUpperCase()
  const form = { name: 'Josefine Quist', email, role: 'support', reason: 'she is to help' } as const
  const { link } = await invite(callerWith('admin'), form, newBrowser())
  await openLink({ token: new URL(link ?? 'http://none').hash.slice(1) }, newBrowser())
  const left = async () =>
    (
      await pool().query(
        `SELECT name FROM member WHERE name = $1 UNION ALL SELECT name FROM access_link WHERE name = $1
         UNION ALL SELECT method FROM session WHERE method = 'link'`,
        [form.name],
      )
    ).rowCount
  expect(await left()).toBe(3)
  const given = JSON.parse((await Array.fromAsync(userData(pool(), person.userUuid))).join(''))
  expect(given.member).toMatchObject([{ name: form.name }])
  expect(given.signIns).toContainEqual(expect.objectContaining({ method: 'link' }))
  await erase(person.userUuid)
  expect(await left()).toBe(0)
})

vi.setConfig({ testTimeout: 60_000 })
