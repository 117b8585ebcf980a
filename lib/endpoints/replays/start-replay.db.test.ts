import crypto from 'node:crypto'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { endOtherSessions } from '#lib/identity/sessions/person-sessions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput, NotAllowed, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { auditAbout } from '../../../test/audit-reason.ts'
import { callerWith } from '../../../test/callers.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { json } from '../../../test/loopback-service.ts'
import {
  admin,
  bodyOf,
  browser,
  ends,
  goOn,
  log,
  secret,
  signedIn,
  stateOf,
  taken,
  withReplays,
} from '../../../test/replays.ts'
import { StartReplaySchema } from './replay-forms.ts'
import { allowResultsExport, listReplays, listResults } from './replays.ts'
import { startReplay, stopReplay } from './start-replay.ts'

const replays = withReplays()

it('stores the secret nowhere', async () => {
  await log([bodyOf(1)])
  replays.receiver.answers(json(401, { message: `not ${secret}` }))
  const replayId = await replays.send()
  await ends(replayId, 'done')
  for (const table of ['replay', 'replay_delivery', 'audit', 'setting']) {
    const { rows } = await pool().query<{ text: string }>(`SELECT t::text AS text FROM ${table} t`)
    expect(rows.filter(({ text }) => text.includes(secret))).toEqual([])
  }
})

it('is audited with its reason', async () => {
  await log([bodyOf(1)])
  replays.receiver.answers(taken)
  const replayId = await replays.send()
  expect(await auditAbout(replayId)).toMatchObject([
    {
      action: 'replay.start',
      actor: admin.id,
      reason: 'the other system lost them',
      details: {
        address: maskUrl(replays.address()),
        deliveries: 1,
        filter: ['from 2026-11-20T14:00:00.000Z'],
      },
    },
  ])
})

it('is only for admins with a fresh sign-in', async () => {
  await log([bodyOf(1)])
  const longAgo = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(startReplay(longAgo, replays.posting(), browser)).rejects.toThrow(SignInAgain)
  for (const role of ['support', 'auditor', 'end-user'] as const) {
    const caller = callerWith(role)
    await expect(startReplay(caller, replays.posting(), browser)).rejects.toThrow(NotAllowed)
    await expect(listReplays(caller)).rejects.toThrow(NotAllowed)
    await expect(listResults(caller, crypto.randomUUID())).rejects.toThrow(NotAllowed)
    await expect(
      allowResultsExport(caller, { replayId: crypto.randomUUID(), reason: 'asked for' }, browser),
    ).rejects.toThrow(NotAllowed)
  }
})

it('is not begun under a session that has ended', async () => {
  await log([bodyOf(1)])
  const starter = await signedIn()
  await endOtherSessions(await signedIn(starter), {}, browser)
  await expect(startReplay(starter, replays.posting(), browser)).rejects.toThrow(SignInAgain)
  expect((await listReplays(admin)).replays).toEqual([])
})

it.each([
  'https://127.0.0.1/hook',
  'https://10.0.0.8/hook',
  'https://169.254.169.254/latest',
  'https://[::ffff:10.0.0.8]/hook',
  'https://localhost/hook',
])('refuses to post to %s', async (address) => {
  await log([bodyOf(1)])
  await expect(replays.send({ address })).rejects.toThrow(InvalidInput)
  expect((await listReplays(admin)).replays).toEqual([])
})

it('refuses an address of this dashboard under any name, and accepts the same path of another host', async () => {
  await log([bodyOf(1)])
  const { id } = await addReceiver(pool())
  const at = (path: string) => replays.send({ address: `https://nobody.invalid/api/webhooks/${path}` })
  await expect(at(id)).rejects.toMatchObject({
    fields: { address: expect.stringContaining('this dashboard') },
  })
  await expect(at(crypto.randomUUID())).rejects.toMatchObject({
    fields: { address: expect.stringContaining('has no address') },
  })
})

it('reaches nothing on this machine but the sandbox’s receiver, under any name', async () => {
  await log([bodyOf(1)])
  replays.receiver.answers(taken)
  const { port } = new URL(replays.address())
  const paths = [
    '',
    '/_sandbox/reset',
    '/onboarding',
    '/receiver/',
    '/receiver/secrets',
    '/RECEIVER',
    '/%72eceiver',
    '//receiver',
    '/x/../_sandbox/reset',
  ]
  const refused = [
    ...['localhost', '127.0.0.1', '[::1]'].flatMap((host) =>
      paths.map((path) => `http://${host}:${port}${path}`),
    ),
    ...['localhost', '127.0.0.1'].flatMap((host) => [
      `http://${host}/receiver`,
      `http://${host}:22/receiver`,
      `https://${host}:${port}/receiver`,
    ]),
    ...['127.0.0.2', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', 'sub.localhost', 'localhost.'].map(
      (host) => `http://${host}:${port}/receiver`,
    ),
  ]
  for (const address of refused)
    await expect(
      Promise.resolve().then(() => replays.send({ address })),
      address,
    ).rejects.toThrow()
  expect(replays.receiver.seen).toEqual([])
  // A replay that an older version accepted does not go on.
  const { id } = await replays.made({ address: `http://localhost:${port}/_sandbox/reset` })
  await pool().query('UPDATE replay SET state = $2 WHERE id = $1', [id, 'stopped'])
  await pool().query('DELETE FROM lease')
  await goOn(id)
  await ends(id, 'done')
  expect(replays.receiver.seen).toEqual([])
  await ends(await replays.send({ address: `http://127.0.0.1:${port}/receiver` }), 'done')
  expect(replays.receiver.seen.map(({ path }) => path)).toEqual(['/receiver'])
})

it.each([
  'http://localhost:3000/api/webhooks/1',
  'http://127.0.0.1:3000/',
  'http://[::1]:3000/api/webhooks/1',
  'https://localhost:3000/',
])('recognises this dashboard as %s', (address) => {
  const { error } = StartReplaySchema.safeParse({ ...replays.posting(), address, pace: '5' })
  expect(error?.issues.map(({ message }) => message).join()).toContain('this dashboard')
})

it.each([
  ['http://example.com/hook', 'https'],
  ['http://10.0.0.8/hook', 'https'],
  ['https://user:word@example.com/hook', 'password'],
  ['http://localhost:3000/api/webhooks/1', 'this dashboard'],
  ['nonsense', 'web address'],
])('has a message for %s', (address, words) => {
  const { error } = StartReplaySchema.safeParse({ ...replays.posting(), address, pace: '5' })
  expect(error?.issues.map(({ message }) => message).join()).toContain(words)
})

it('refuses an empty set, and an empty filter', async () => {
  await expect(replays.send()).rejects.toThrow(Refused)
  await log([bodyOf(1)])
  await expect(replays.send({ from: '' })).rejects.toThrow(Refused)
})

it('runs three replays at a time, and refuses to start or resume a fourth', async () => {
  await log([bodyOf(1)])
  const stopped = await replays.made()
  await stopReplay(admin, { replayId: stopped.id, reason: 'a mistake' }, browser)
  for (let n = 0; n < 3; n++) await replays.made()
  const tooMany = { message: '3 replays are running already.' }
  await expect(replays.send()).rejects.toMatchObject(tooMany)
  await expect(goOn(stopped.id)).rejects.toMatchObject(tooMany)
  expect(await stateOf(stopped.id)).toBe('stopped')
  await pool().query(`UPDATE replay SET state = 'done'`)
})

it('shows no secret in a validation error', () => {
  const { error } = StartReplaySchema.safeParse({
    ...replays.posting(),
    pace: '5',
    secret: `${secret} and more`,
  })
  expect(z.prettifyError(error ?? new z.ZodError([]))).not.toContain(secret)
})
