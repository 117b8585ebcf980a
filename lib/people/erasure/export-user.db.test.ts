import crypto from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { NotAllowed, SignInAgain } from '#lib/platform/refusals.ts'
import { search } from '#lib/search/search.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { aPerson, bodiesOf, valuesOf } from '../../../test/sample-people.ts'
import { allowExport, exportUser, linkPersonOf, userData } from './export-user.ts'
import { parts, tables } from './tables.ts'

const { pool, known, deliver, folded, project, stopProjectors, erase, expectGone } = withPersonDatabase()

const exported = async (userUuid: string) =>
  JSON.parse((await Array.fromAsync(userData(pool(), userUuid))).join(''))

it('exports all data of a person, and records who asked', async () => {
  const ana = await known()
  const admin = callerWith('admin')
  const form = { userUuid: ana.userUuid, reason: 'asked for' }
  await expect(allowExport(callerWith('support'), form, newBrowser())).rejects.toThrow(NotAllowed)
  const stale = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(allowExport(stale, form, newBrowser())).rejects.toThrow(SignInAgain)
  const { ticket } = await allowExport(admin, form, newBrowser())
  const wrong: [Parameters<typeof exportUser>[0], string, string][] = [
    [callerWith('admin'), ana.userUuid, ticket],
    [admin, crypto.randomUUID(), ticket],
    [admin, ana.userUuid, `${Date.now() + 90_000}.${ticket.split('.')[1]}`],
    [admin, ana.userUuid, ''],
  ]
  for (const one of wrong) expect(() => exportUser(...one)).toThrow(NotAllowed)
  const text = (await Array.fromAsync(exportUser(admin, ana.userUuid, ticket))).join('')
  const held = JSON.parse(text)
  for (const value of valuesOf(ana)) expect(text.toLowerCase()).toContain(value.toLowerCase())
  expect(held.events).toHaveLength(bodiesOf(ana).length)
  expect(held.transactions).toHaveLength(2)
  expect(held).toMatchObject({ signIns: [{ method: 'code' }], directory: [{ email: ana.email }] })
  expect(held.audit).toMatchObject([{ action: 'user.export' }])
  const nobody = (await Array.fromAsync(userData(pool(), crypto.randomUUID()))).join('')
  expect(JSON.parse(nobody)).toMatchObject({ directory: [], events: [] })
})

/** `known` adds no row to these tables, so each gets one row of the person. */
const more: Readonly<Record<string, string>> = {
  user_lookup: `INSERT INTO user_lookup (user_uuid, outcome) VALUES ($1, 'read')`,
  sign_up: `INSERT INTO sign_up (user_uuid, browser_digest, target_address, wallet_state) VALUES ($1, '', $3, 'waiting')`,
  sign_up_attempt: `INSERT INTO sign_up_attempt (id, browser_digest, target_address) VALUES ($4, '', $3)`,
  stranger_alarm: 'INSERT INTO stranger_alarm (user_uuid, day) VALUES ($1, now())',
  member: `INSERT INTO member (id, user_uuid, name, role) VALUES ($4, $1, 'Ana', 'support')`,
  session: `INSERT INTO session (id, token_digest, member_id, method, role, idle_expires_at, expires_at)
            VALUES (gen_random_uuid(), '\\x02', $4, 'passkey', 'support', now(), now())`,
  user_import: `INSERT INTO user_import (id, file_name, actor, state, total, broken, created) VALUES ($4, $2 || '.csv', '', 'done', 1, 0, 0)`,
  user_import_row: `INSERT INTO user_import_row (import_id, line, state, email) VALUES ($4, 2, 'done', upper($2))`,
  passkey: `INSERT INTO passkey (id, member_id, credential_id, public_key, counter, name, backed_up) VALUES ($4, $4, 'c', '', 0, 'k', false)`,
  sso_report: `INSERT INTO sso_report VALUES ('refused', now(), $4::text, '{}')`,
  admin_notice: `INSERT INTO admin_notice (id, kind, about) VALUES (gen_random_uuid(), 'member-removed', $4::text)`,
  access_link: `INSERT INTO access_link (id, kind, token_digest, created_by, expires_at, email) VALUES ($4, 'invitation', '', '', now(), $2)`,
  mail: `INSERT INTO mail (id, kind, recipient, give_up_at) VALUES ($4, 'notices', $2, now())`,
  transaction_note: `INSERT INTO transaction_note (subject_id, id, text, author) VALUES ('transaction:x', $4, 'Rang: ' || $2, 'x')`,
  overview_mute: `INSERT INTO overview_mute (kind, about, note, muted_by, covers_until) VALUES ('held', 'transaction:x', 'Rang: ' || $2, 'x', now())`,
  replay: `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state)
           VALUES ($4, 'fold', jsonb_build_object('user', upper($1::text)), 1, '', '', 1, 'done')`,
  endpoint_person: `INSERT INTO endpoint_person (endpoint_uuid, person, what) VALUES ($4, $4::text, 'made')`,
  alert_member: `INSERT INTO alert_member (member_id, receives) VALUES ($4, 'urgent')`,
  alert: `INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at, acknowledged_at, acknowledged_by)
          VALUES ($4, 'dead-letters', '', 1, 1, 1, now(), now(), $1::text)`,
  alert_channel: `INSERT INTO alert_channel (id, kind, name, place, sealed, key_id) VALUES ($4, 'slack', 'Rings ' || $2, '', '', 'k')`,
  share_token: `INSERT INTO share_token (id, user_uuid, person) VALUES ($4, $1, 'x')`,
  gap: `INSERT INTO gap (id, kind, about, began_at, reason) VALUES ($4, 'silence', '', now(), 'Rang: ' || $2)`,
  audit: `INSERT INTO audit (id, action, target, outcome) VALUES (gen_random_uuid(), 'read.person', $1::text, 'done')`,
  audit_reason: `INSERT INTO audit_reason (entry_id, text) SELECT id, 'Asked' FROM audit WHERE target = $1::text`,
  audit_counter: `INSERT INTO audit_counter (minute, actor, actor_role, action, target, outcome, session_id, count)
                  VALUES (now(), 'x', '', 'read.person', $1::text, 'done', $4, 1)`,
}

it('exports something of each table that an erasure treats as personal', async () => {
  const ana = await known()
  const given = [ana.userUuid, ana.email, ana.targetAddress, crypto.randomUUID()]
  for (const sql of Object.values(more))
    await pool().query(
      given.reduce((text, value, index) => text.replaceAll(`$${index + 1}`, `'${value}'`), sql),
    )
  const held = await exported(ana.userUuid)
  for (const { name } of parts) expect(held[name], name).not.toHaveLength(0)
  expect(held.signIns).toHaveLength(2)
  expect(JSON.stringify(held)).not.toContain('token_digest')
  const people = Object.entries(tables).filter(([, treatment]) => treatment !== 'nobody')
  const gives = people.map(([, treatment]) => (treatment === 'nobody' ? 'nobody' : treatment.give))
  expect(gives.filter((give) => typeof give === 'object' && 'sql' in give)).toEqual(parts)
  // A table that holds one of the person's values must not be listed as `nobody`.
  for (const [table, treatment] of Object.entries(tables)) {
    if (treatment !== 'nobody') continue
    const { rows } = await pool().query(`SELECT * FROM ${table}`)
    const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    for (const value of valuesOf(ana)) expect(text, table).not.toContain(value)
  }
})

it('exports mentions beside others, deliveries that are not folded, and searches', async () => {
  const [ana, bob] = [await known(), aPerson()]
  const compliance = callerWith('compliance')
  await search(compliance, { text: ana.iban })
  await search(compliance, { text: bob.iban })
  const [mention] = await deliver([
    {
      type: 'duplicateUser',
      subType: 'DUPLICATE_USER',
      uuid: bob.userUuid,
      data: { duplicateOf: ana.userUuid, ofBob: bob.lastName },
    },
  ])
  await folded()
  await stopProjectors()
  const [waiting] = await deliver([
    { type: 'KYC', uuid: ana.userUuid, data: { status: 'FULL_USER' } },
    { type: 'KYC', uuid: bob.userUuid, data: { name: bob.lastName } },
  ])
  await pool().query(
    `UPDATE delivery_pending SET dead_lettered_at = now(), error = 'x' WHERE delivery_id = $1`,
    [waiting],
  )
  const held = await exported(ana.userUuid)
  expect(held.searches).toMatchObject([{ text: ana.iban }])
  expect(held.namedElsewhere).toEqual([
    { delivery: mention, named: [{ at: 'data.duplicateOf', text: ana.userUuid }] },
    { delivery: waiting, body: expect.stringContaining('FULL_USER') },
  ])
  expect(JSON.stringify(held)).not.toContain(bob.lastName)
  // A projector retries the dead letter. The log then no longer holds the other body, but its event does.
  await project()
  await folded()
  await pool().query('DELETE FROM delivery WHERE id = $1', [mention])
  expect((await exported(ana.userUuid)).namedElsewhere).toMatchObject([{ delivery: mention }])
})

it('exports and erases a person whom events with long lists name', async () => {
  const ana = await known()
  const list = [...Array(130_000).fill(1), ana.userUuid]
  await deliver([
    { type: 'newType', subType: 'x', uuid: ana.userUuid, data: { list } },
    { type: 'AML', subType: 'x', uuid: crypto.randomUUID(), data: { list } },
  ])
  await folded()
  const held = await exported(ana.userUuid)
  expect(held.events).toHaveLength(bodiesOf(ana).length + 1)
  expect(held.namedElsewhere).toMatchObject([{ named: [{ at: 'data.list', text: ana.userUuid }] }])
  await erase(ana.userUuid)
  await expectGone(ana)
})

it('exports no id of others that replays and tokens have', async () => {
  const [ana, bob] = [await known(), await known()]
  const rows = [
    [ana.userUuid, 'As she asked'],
    [bob.userUuid, `Same as ${ana.iban}`],
    [bob.userUuid, 'Rang once'],
  ]
  for (const [user, reason] of rows)
    await pool().query(
      `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state)
       VALUES (gen_random_uuid(), 'fold', jsonb_build_object('user', $1::text), 1, $2, '', 1, 'done')`,
      [user, reason],
    )
  await pool().query(
    `INSERT INTO share_token (id, user_uuid, person)
     SELECT gen_random_uuid(), of, by FROM unnest($1::uuid[], $2::text[]) AS given (of, by)`,
    [
      [ana.userUuid, bob.userUuid, bob.userUuid],
      ['x', ana.userUuid, 'x'],
    ],
  )
  const { replays, shareTokens } = await exported(ana.userUuid)
  expect(replays).toMatchObject([
    { filter: { user: ana.userUuid }, reason: 'As she asked' },
    { filter: null, reason: `Same as ${ana.iban}` },
  ])
  expect(shareTokens).toMatchObject([{ user_uuid: ana.userUuid }, { user_uuid: null }])
})

it('exports what is held of them as former members, and nothing of members who stay', async () => {
  const ana = await known()
  const [former, before, present] = Array.from({ length: 3 }, () => crypto.randomUUID())
  await pool().query(
    `INSERT INTO member (id, name, role, email, sso_email, former_user_uuid, removed_at) VALUES
       ($1, 'Ana at work', 'support', NULL, upper($4), NULL, now()),
       ($2, 'Ana before', 'support', NULL, NULL, $5, now()),
       ($3, 'Somebody', 'support', $4, NULL, NULL, NULL)`,
    [former, before, present, ana.email, ana.userUuid],
  )
  for (const id of [former, before, present])
    await pool().query(
      `INSERT INTO session (id, token_digest, member_id, method, role, ip, idle_expires_at, expires_at)
       VALUES ($1::uuid, convert_to($1::uuid::text, 'UTF8'), $1::uuid, 'passkey', 'support', '203.0.113.77', now(), now())`,
      [id],
    )
  const { member, signIns } = await exported(ana.userUuid)
  expect(member.map(({ name }: { name: string }) => name).toSorted()).toEqual(['Ana at work', 'Ana before'])
  expect(signIns.filter(({ method }: { method: string }) => method === 'passkey')).toHaveLength(2)
})

vi.setConfig({ testTimeout: 60_000 })

it('judges a long search by all of its text, and by the lines that a search looks at', () => {
  const values = new Set(['nl91abna0417164300'])
  const { isNamedBy } = linkPersonOf({ userUuid: crypto.randomUUID(), values, exact: new Set(), terms: [] })
  const lines = Array.from({ length: 150 }, (_, n) => `line ${n}`)
  const at = (nth: number, text: string) => isNamedBy(lines.toSpliced(nth, 1, text).join('\n'))
  expect([at(99, 'NL91 ABNA 04'), at(120, 'NL91 ABNA 04')]).toEqual([true, false])
  expect([at(120, 'NL91 ABNA 0417 1643 00'), isNamedBy(lines.join('\n'))]).toEqual([true, false])
})
