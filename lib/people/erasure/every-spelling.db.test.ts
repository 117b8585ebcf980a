import crypto from 'node:crypto'
import { expect, it } from 'vitest'
import { invite } from '#lib/identity/links/invitations.ts'
import { openLink } from '#lib/identity/links/set-up.ts'
import { linkTo } from '#lib/search/search-link.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { aPerson } from '../../../test/sample-people.ts'
import {
  bodiesWith,
  exportsEverySpelling,
  leavesNoSpelling,
  somebody,
  stillOpen,
  write,
} from '../../../test/spellings.ts'
import { listPeople } from '../list-people.ts'
import { userData } from './export-user.ts'

const database = withPersonDatabase()
const { pool, deliver, enter, folded, dump, erase } = database

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
  const { person, values } = await somebody(database)
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
  await write(pool(), others)
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

it('removes an invitation that a member used, though it went to no address', async () => {
  const { person } = await somebody(database)
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
  const { person } = await somebody(database)
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
  const { person } = await somebody(database)
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

// These tests come last, because each erasure reads whatever was delivered before it.
it('exports every spelling with the person’s data', () => exportsEverySpelling(database, 4))

it('leaves no value of a person in any column of any table, however it is spelled', () =>
  leavesNoSpelling(database, 4))
