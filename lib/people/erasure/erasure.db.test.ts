import crypto from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import type { Caller } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { completeSignIn } from '#lib/identity/sign-in/complete-sign-in.ts'
import {
  recordSignUp,
  recordSignUpAttempt,
  settleSignUpAttempts,
} from '#lib/identity/sign-in/sign-up-record.ts'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { erasedAddresses } from '#lib/identity/users/person-texts.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { NotAllowed, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { search } from '#lib/search/search.ts'
import { linkTo } from '#lib/search/search-link.ts'
import { rebuild } from '#lib/timeline/projector/rebuild.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { TABLES, withPersonDatabase } from '../../../test/person-database.ts'
import { digestOf } from '../../../test/projections.ts'
import { aPerson, bodiesOf, type TestPerson, valuesOf } from '../../../test/sample-people.ts'
import { noteUsers } from '../lookup/user-reader.ts'
import { beginErasure, eraseUser, runErasure } from './erase-user.ts'
import { findErasure } from './erasure-store.ts'
import { userData } from './export-user.ts'
import { tables } from './tables.ts'

const { pool, deliver, deliverAgain, folded, enter, known, dump, expectGone, erase, amounts } =
  withPersonDatabase()

it('takes a person out of every table, and keeps the amounts and everybody else', async () => {
  const [ana, bob] = [await known(), await known()]
  const before = { ana: await amounts(ana), bob: await amounts(bob), text: await dump() }
  for (const value of valuesOf(ana)) expect(before.text).toContain(value.toLowerCase())
  const events = (await pool().query('SELECT count(*) FROM event')).rows
  await erase(ana.userUuid)
  await expectGone(ana)
  expect(await amounts(ana)).toEqual(before.ana)
  expect(await amounts(bob)).toEqual(before.bob)
  expect((await pool().query('SELECT count(*) FROM event')).rows).toEqual(events)
  const after = await dump()
  for (const value of valuesOf(bob)) expect(after).toContain(value.toLowerCase())
})

it('is undone by no rebuild, which makes the very same rows', async () => {
  const ana = await known()
  await erase(ana.userUuid)
  await folded()
  const before = await digestOf(pool())
  await rebuild(pool(), { signal: new AbortController().signal, onProgress: () => undefined })
  expect(await digestOf(pool())).toBe(before)
  await expectGone(ana)
})

it('stores later deliveries without the person’s data, and recognises a repetition', async () => {
  const ana = await known()
  await erase(ana.userUuid)
  const events = (await pool().query('SELECT count(*) FROM event')).rows
  await deliverAgain(bodiesOf(ana))
  await folded()
  await expectGone(ana)
  expect((await pool().query('SELECT count(*) FROM event')).rows).toEqual(events)
  const news = {
    type: 'KYC',
    subType: 'statusUpdate',
    uuid: ana.userUuid,
    data: { status: 'SUSPENDED', name: ana.lastName },
  }
  const [id] = await deliver([news])
  await folded()
  await expectGone(ana)
  const { rows } = await pool().query('SELECT status FROM event WHERE id = $1', [id])
  expect(rows).toEqual([{ status: 'SUSPENDED' }])
  // JSON may escape any letter of the uuid, and the fold reads it.
  const escaped = ana.userUuid.replaceAll('-', '\\u002d')
  const ids = await deliver([
    JSON.stringify(news).replace(ana.userUuid, escaped),
    { ...news, uuid: crypto.randomUUID(), data: ['x', [ana.userUuid]] },
    `{"type":"KYC","uuid":"${crypto.randomUUID()}","data":{"a":"${escaped}","a":"y"}}`,
  ])
  await folded()
  await expectGone(ana)
  expect(await dump()).not.toContain(escaped)
  const stored = await pool().query('SELECT entity_uuid FROM event WHERE id = ANY($1)', [ids])
  expect(stored.rows).not.toContainEqual({ entity_uuid: ana.userUuid })
})

it('is undone by no sign-in, no look-up and no import', async () => {
  const ana = await known()
  await erase(ana.userUuid)
  const user = { ...ana, country: null, status: null }
  await inTransaction(pool(), (tx) => saveToDirectory(tx, user, 'import', ana.number))
  await noteUsers(pool(), [ana.userUuid])
  await expectGone(ana)
  const isErasedAddress = await erasedAddresses(pool())
  expect(isErasedAddress(` ${ana.email.toUpperCase()}`)).toBe(true)
  expect(isErasedAddress('somebody@demo.test')).toBe(false)
})

type Write = (person: TestPerson) => Promise<unknown>

const writes: Readonly<Record<string, Write>> = {
  'the directory': (person) =>
    inTransaction(pool(), (tx) => saveToDirectory(tx, { ...person, country: null, status: null }, 'import')),
  'a sign-in': ({ userUuid }) =>
    completeSignIn({ userUuid, serviceSessionId: 's' }, { method: 'code', userUuid }, newBrowser()),
  'a sign-up': ({ userUuid, targetAddress }) =>
    inTransaction(pool(), (tx) =>
      recordSignUp(tx, { userUuid, browserId: 'b', targetAddress, walletState: 'waiting' }),
    ),
  'an attempt to sign up': async ({ userUuid, targetAddress }) => {
    await recordSignUpAttempt('b', targetAddress)
    await settleSignUpAttempts(userUuid, targetAddress)
  },
  'the queue of look-ups': ({ userUuid }) => noteUsers(pool(), [userUuid]),
}

it.each(Object.entries(writes))('is not undone when it begins while %s is written', async (what, write) => {
  const ana = aPerson()
  if (what !== 'the queue of look-ups') await enter(ana)
  const { writing } = await inTransaction(pool(), async (tx) => {
    await beginErasure(tx, ana.userUuid)
    const writing = write(ana)
    await Promise.race([writing, setTimeout(500)])
    return { writing }
  })
  await writing
  const left = ['person', 'session', 'known_browser', 'sign_up', 'user_lookup'].map(async (table) => {
    const { rows } = await pool().query(`SELECT FROM ${table} WHERE user_uuid = $1`, [ana.userUuid])
    return rows.length === 0 ? [] : [table]
  })
  expect((await Promise.all(left)).flat()).toEqual([])
})

it('removes in the end what came back by hand since it began', async () => {
  const ana = await known()
  const id = await inTransaction(pool(), (tx) => beginErasure(tx, ana.userUuid))
  await pool().query('INSERT INTO person (user_uuid, source, email) VALUES ($1, $2, $3)', [
    ana.userUuid,
    'import',
    ana.email,
  ])
  await runErasure(pool(), id)
  await expectGone(ana)
})

it('removes the person from other people’s data, dead letters and bodies that outlived the log', async () => {
  const [ana, bob] = [aPerson(), aPerson()]
  await enter(ana)
  const duplicate = {
    type: 'duplicateUser',
    subType: 'DUPLICATE_USER',
    uuid: bob.userUuid,
    data: { duplicateOf: ana.userUuid },
  }
  const paid = {
    type: 'fiatToCrypto',
    subType: 'PENDING',
    uuid: bob.userUuid,
    data: { transactionUuid: crypto.randomUUID(), amountFiat: 1, walletAddress: ana.targetAddress },
  }
  const ids = await deliver([...bodiesOf(ana), duplicate, paid, `no JSON, but ${ana.userUuid}`])
  await folded()
  const [dead = ''] = await deliver([{ type: 'KYC', uuid: ana.userUuid, data: { status: ana.lastName } }])
  await folded()
  await pool().query(
    `INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error) VALUES ($1, now(), 'a test')`,
    [dead],
  )
  await pool().query('DELETE FROM delivery WHERE id = ANY($1)', [ids.slice(0, 8)])
  expect((await pool().query('SELECT FROM event WHERE envelope IS NOT NULL')).rows.length).toBeGreaterThan(3)
  await erase(ana.userUuid)
  await expectGone({ ...ana, lastName: 'kept in a status' })
  const { rows } = await pool().query(
    `SELECT encode(event_body(id, envelope), 'escape') AS body FROM event WHERE entity_uuid = $1`,
    [bob.userUuid],
  )
  expect(rows.map(({ body }) => JSON.parse(body).data)).toEqual(
    expect.arrayContaining([
      { duplicateOf: 'erased' },
      expect.objectContaining({ amountFiat: 1, walletAddress: 'erased' }),
    ]),
  )
})

it('removes everything searched for about a person, and tells anybody who opens an old link', async () => {
  const [ana, bob] = [await known(), await known()]
  const compliance = callerWith('compliance')
  const linked = async (text: string) => (await search(compliance, { text })).link ?? ''
  const theirs = [
    ana.email,
    `Mail of ${ana.email} of today`,
    ana.userUuid,
    ana.iban,
    ana.iban.replace(/(.{4})/g, '$1 '),
    `${ana.iban.slice(0, 6)}…${ana.iban.slice(-4)}`,
    ana.iban.slice(-7),
    ana.accountNumber,
    ana.targetAddress.slice(0, 12),
    ana.number,
    ana.email.slice(0, 10),
    `IBAN: ${ana.iban} (Ana)`,
    ana.accountNumber.replace(/(.{4})/g, '$1-'),
    `3f2c1111…0d0b1, ${shortId(ana.userUuid)}`,
  ]
  const hidden = [ana.iban, ana.email, ana.accountNumber, ana.number].flatMap((value) => [
    `${value.slice(0, 5)}\u200b${value.slice(5)}`,
    `\u202a${value.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))}\u202c`,
    value.replace('@', '%40').replace('-', '%2D'),
  ])
  // Links from before texts were cleaned hold them as they were pasted.
  const links = await Promise.all([
    ...theirs.map(linked),
    ...hidden.map((text) => linkTo(compliance, 'subjects', text)),
  ])
  const [ofBob, common] = [await linked(bob.iban), await linked('demo')]
  await erase(ana.userUuid)
  for (const [index, link] of links.entries())
    expect(await search(compliance, { link }), [...theirs, ...hidden][index]).toBe('erased')
  expect(await search(compliance, { link: ofBob })).toMatchObject({ text: bob.iban })
  expect(await search(compliance, { link: common })).toMatchObject({ text: 'demo' })
  // A new search for the same text makes a new link.
  expect(await linked(ana.number)).not.toBe(links[theirs.indexOf(ana.number)])
})

it('removes who made a search from it, and keeps what it finds for colleagues', async () => {
  const [ana, bob] = [await known(), await known()]
  const [asAna, colleague] = [callerWith('support', { userUuid: ana.userUuid }), callerWith('compliance')]
  const linked = async (by: Caller, text: string) => (await search(by, { text })).link ?? ''
  const [shared, ended] = [await linked(asAna, bob.iban), await linked(asAna, ana.iban)]
  const given = JSON.parse((await Array.fromAsync(userData(pool(), ana.userUuid))).join('')).searches
  expect(given).toMatchObject([{ text: bob.iban }, { text: ana.iban }])
  await erase(ana.userUuid)
  expect(await search(colleague, { link: shared })).toMatchObject({ text: bob.iban })
  expect(await search(colleague, { link: ended })).toBe('erased')
  const { rows } = await pool().query('SELECT made_by FROM search_link WHERE id = ANY($1)', [[shared, ended]])
  expect(rows).toEqual([{ made_by: 'erased' }, { made_by: 'erased' }])
  expect(JSON.parse((await Array.fromAsync(userData(pool(), ana.userUuid))).join('')).searches).toEqual([])
})

it('replaces the name of a file of people that names the person, and keeps others', async () => {
  const ana = await known()
  const enterImport = (fileName: string) =>
    pool().query(
      `INSERT INTO user_import (id, file_name, actor, state, total, broken, created)
       VALUES (gen_random_uuid(), $1, '', 'done', 1, 0, 0)`,
      [fileName],
    )
  for (const name of [`${ana.email}.csv`, `for ${ana.iban} (1).csv`, 'people.csv']) await enterImport(name)
  await erase(ana.userUuid)
  await expectGone(ana)
  const { rows } = await pool().query('SELECT file_name FROM user_import ORDER BY file_name DESC')
  expect(rows.map(({ file_name }) => file_name)).toEqual(['people.csv', 'Erased', 'Erased'])
})

it('removes nothing from somebody whose address differs only in case', async () => {
  const ana = await known()
  const twin = { ...aPerson(), email: ana.email.replace('Mail', 'mail') }
  await enter(twin)
  await deliver(bodiesOf(twin))
  await folded()
  const importId = crypto.randomUUID()
  await pool().query(
    `INSERT INTO user_import (id, file_name, actor, state, total, broken, created) VALUES ($1, '', '', 'done', 2, 0, 0)`,
    [importId],
  )
  const hosted = (email: string) => email.replace('@demo', '@DEMO')
  await pool().query(
    `INSERT INTO user_import_row (import_id, line, state, email) VALUES ($1, 2, 'waiting', $2), ($1, 3, 'waiting', $3)`,
    [importId, hosted(ana.email), hosted(twin.email)],
  )
  await pool().query(
    `INSERT INTO access_link (id, kind, token_digest, created_by, expires_at, email)
     SELECT gen_random_uuid(), 'invitation', sha256(email::bytea), '', now() + interval '1 day', email
     FROM unnest($1::text[]) AS email`,
    [[ana.email, twin.email]],
  )
  await pool().query(
    `INSERT INTO mail (id, kind, recipient, about, give_up_at)
     SELECT gen_random_uuid(), 'invitation', email, ARRAY[id], now() FROM access_link WHERE email = ANY($1::text[])`,
    [[ana.email, twin.email]],
  )
  const bodiesAbout = async ({ userUuid }: typeof twin) =>
    (
      await pool().query(
        `SELECT encode(event_body(id, envelope), 'escape') AS body FROM event WHERE entity_uuid = $1 ORDER BY id`,
        [userUuid],
      )
    ).rows
  const rowsWith = async (email: string) =>
    (
      await pool().query(
        `SELECT lower(email) FROM user_import_row WHERE email = $2
         UNION ALL SELECT email FROM access_link WHERE email = $1
         UNION ALL SELECT recipient FROM mail WHERE recipient = $1
         UNION ALL SELECT email FROM person WHERE email = $1`,
        [email, hosted(email)],
      )
    ).rows.length
  const before = await bodiesAbout(twin)
  expect(JSON.stringify(before)).toContain(twin.email)
  expect([await rowsWith(ana.email), await rowsWith(twin.email)]).toEqual([4, 4])
  await erase(ana.userUuid)
  expect([await rowsWith(ana.email), await rowsWith(twin.email)]).toEqual([0, 4])
  expect(await bodiesAbout(twin)).toEqual(before)
  const isErasedAddress = await erasedAddresses(pool())
  expect([ana.email, hosted(ana.email), twin.email].map(isErasedAddress)).toEqual([true, true, false])
  const { rows } = await pool().query('SELECT body FROM delivery')
  for (const { body } of rows) expect(String(body)).not.toContain(ana.email)
  // Nobody else has the address in another case any more, so every spelling of it is the person's.
  await erase(twin.userUuid)
  await expectGone({ ...twin, email: ana.email.toLowerCase() })
})

it('finds an address in the case of a mail server when nobody else has it in another case', async () => {
  const [ana, bob] = [await known(), aPerson()]
  await deliver([
    {
      type: 'otpNotification',
      subType: 'EMAIL_DELIVERY_FAILED',
      uuid: bob.userUuid,
      data: { emailAddress: bob.email, diagnosticCode: `550 5.1.1 <${ana.email.toUpperCase()}>` },
    },
  ])
  await folded()
  await erase(ana.userUuid)
  await expectGone(ana)
  expect(await dump()).toContain(bob.email.toLowerCase())
})

it('needs an admin with a fresh sign-in, refuses a member of the team, and proves that it happened', async () => {
  const ana = await known()
  const [browser, admin] = [newBrowser(), callerWith('admin')]
  const form = { userUuid: ana.userUuid, reason: 'asked for by mail' }
  await expect(eraseUser(callerWith('support'), form, browser)).rejects.toThrow(NotAllowed)
  const stale = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(eraseUser(stale, form, browser)).rejects.toThrow(SignInAgain)
  const member = crypto.randomUUID()
  await pool().query(`INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'Ana', 'support')`, [
    member,
    ana.userUuid,
  ])
  await expect(eraseUser(admin, form, browser)).rejects.toThrow(Refused)
  await inTransaction(pool(), async (tx) => {
    const ofAna = { id: ana.userUuid, name: 'Ana' }
    await tellAdmins(tx, { kind: 'secret-rotated', actor: ofAna })
    const facts = { person: `user ${ana.userUuid}` }
    await tellAdmins(tx, { kind: 'data-revealed', actor: null, about: ana.userUuid, facts })
    await tellAdmins(tx, { kind: 'member-removed', actor: null, about: member, facts: { member: 'Ana' } })
    const copied = { member: 'Ana', passkey: 'Ana’s phone' }
    await tellAdmins(tx, { kind: 'passkey-copied', actor: null, about: member, facts: copied })
  })
  await pool().query('UPDATE member SET removed_at = now() WHERE id = $1', [member])
  expect(await findErasure(admin, ana.userUuid)).toBe(null)
  const { erasureId } = await eraseUser(admin, form, browser)
  await expect
    .poll(() => findErasure(admin, ana.userUuid), { timeout: 20_000 })
    .toMatchObject({
      id: erasureId,
      finishedAt: expect.any(String),
    })
  await expectGone(ana)
  const { rows } = await pool().query(
    `SELECT outcome, ${auditReason} FROM audit WHERE target = $1 ORDER BY at`,
    [erasureId],
  )
  const { rows: reported } = await pool().query(
    'SELECT kind, actor_name, facts FROM admin_notice ORDER BY id',
  )
  expect(reported).toEqual([
    { kind: 'secret-rotated', actor_name: 'Erased', facts: {} },
    { kind: 'data-revealed', actor_name: null, facts: { person: 'Erased' } },
    { kind: 'member-removed', actor_name: null, facts: { member: 'Erased' } },
    { kind: 'passkey-copied', actor_name: null, facts: { member: 'Erased', passkey: 'Erased' } },
    { kind: 'person-erased', actor_name: admin.id, facts: {} },
  ])
  expect(rows).toEqual([
    { outcome: 'begun', reason: form.reason },
    { outcome: 'done', reason: null },
  ])
})

it('distinguishes a company from a person, while it is erased and after', async () => {
  const ana = await known()
  const [reported, linked] = [crypto.randomUUID(), crypto.randomUUID()]
  await deliver([{ type: 'KYB', subType: 'statusUpdate', uuid: reported, data: { status: 'KYB_PENDING' } }])
  await folded()
  await pool().query('UPDATE person SET linked_corporates = ARRAY[$2::uuid] WHERE user_uuid = $1', [
    (await known()).userUuid,
    linked,
  ])
  const isCompany = async (uuid: string) => (await findErasure(callerWith('support'), uuid))?.isCompany
  const id = await inTransaction(pool(), (tx) => beginErasure(tx, reported))
  expect(await isCompany(reported)).toBe(true)
  await runErasure(pool(), id)
  await erase(linked)
  await erase(ana.userUuid)
  expect(await Promise.all([reported, linked, ana.userUuid].map(isCompany))).toEqual([true, true, false])
})

it('has a rule for the personal data of every table', async () => {
  const { rows } = await pool().query<{ name: string }>(TABLES)
  expect(Object.keys(tables).sort()).toEqual(rows.map(({ name }) => name).sort())
})

vi.setConfig({ testTimeout: 60_000 })

it('takes the person out of events whose bodies were lost with a month', async () => {
  const [ana, bob] = [await known(), await known()]
  const ids = async (who: typeof ana) =>
    (
      await pool().query<{ id: string }>('SELECT id FROM event WHERE entity_uuid = $1', [who.userUuid])
    ).rows.map(({ id }) => id)
  const before = { ana: await amounts(ana), bob: await amounts(bob) }
  const [lost, others] = [await ids(ana), await ids(bob)]
  await pool().query(`ALTER TABLE delivery DISABLE TRIGGER USER; DELETE FROM delivery WHERE id = ANY('{${[...lost, ...others]}}');
    ALTER TABLE delivery ENABLE TRIGGER USER; UPDATE event SET body_left_at = now() WHERE id = ANY('{${[...lost, ...others]}}')`)
  await erase(ana.userUuid)
  await expectGone(ana)
  expect(await amounts(ana)).toEqual(before.ana)
  expect(await amounts(bob)).toEqual(before.bob)
  expect((await pool().query('SELECT FROM event WHERE id = ANY($1)', [lost])).rowCount).toBe(lost.length)
  const rows = await digestOf(pool())
  await rebuild(pool(), { signal: new AbortController().signal, onProgress: () => undefined })
  expect(await digestOf(pool())).toBe(rows)
  expect(await amounts(bob)).toEqual(before.bob)
})
