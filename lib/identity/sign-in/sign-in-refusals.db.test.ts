import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { consumeLimit, type Limit } from '#lib/platform/limits/limits.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { newEmail } from '../../../test/accounts.ts'
import { newBrowser } from '../../../test/callers.ts'
import { englishOf } from '../../../test/english-of.ts'
import { captureLog } from '../../../test/log.ts'
import { json, type LoopbackService, startLoopbackService } from '../../../test/loopback-service.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { configure, endPools } from '../../../test/service.ts'
import { newWallet, proveInBrowser } from '../../../test/wallets.ts'
import { saveToDirectory } from '../users/directory.ts'
import { codeDeliveryStatus, recordLateRefusal, requestCode } from './request-code.ts'
import { signInWithCode } from './sign-in-with-code.ts'
import { issueChallenge, proveWallet, signInWithWallet } from './sign-in-with-wallet.ts'
import { createThrowAwayAccount, signUp } from './sign-up.ts'

// These attempts are refused whatever the service answers.

let database: TestDatabase
let service: LoopbackService
beforeAll(async () => {
  database = await createTestDatabase()
  service = await startLoopbackService()
  configure({
    DATABASE_URL: database.url,
    SERVICE_BASE_URL: service.baseUrl,
    RAMPART_SANDBOX_URL: service.baseUrl,
  })
})
afterAll(async () => {
  await service.stop()
  await endPools()
  await database.drop()
})

const wallet = newWallet()
const { address } = wallet

/** The limit is used up. */
async function consumeUp(limit: Limit, key: string | null) {
  const ask = () => Promise.all(Array.from({ length: 40 }, () => consumeLimit(limit, key)))
  while (!(await ask()).some((wait) => wait > 0));
}

type Browser = ReturnType<typeof newBrowser>

it.each<{ limit: Limit; what: string; ask: (browser: Browser) => Promise<unknown>; title: string }>([
  {
    limit: 'code-per-ip',
    what: 'codes',
    ask: (browser) => requestCode({ email: newEmail() }, browser),
    title: 'Too many codes were asked for.',
  },
  {
    limit: 'challenge-per-ip',
    what: 'sign-in messages',
    ask: (browser) => issueChallenge({ address, chainId: 1 }, browser),
    title: 'Too many sign-in messages were asked for.',
  },
  {
    limit: 'account-per-ip',
    what: 'accounts',
    ask: (browser) =>
      signUp({ email: newEmail(), firstName: 'A', lastName: 'B', country: 'ES', wallet: undefined }, browser),
    title: 'Too many accounts were asked for.',
  },
  {
    limit: 'account-per-ip',
    what: 'throw-away accounts',
    ask: async (browser) =>
      createThrowAwayAccount({ wallet: await proveInBrowser(wallet, browser) }, browser),
    title: 'Too many accounts were asked for.',
  },
])('one address of the network gets so many $what and no more', async ({ limit, ask, title }) => {
  const browser = newBrowser()
  await consumeUp(limit, browser.ip)
  service.answers(json(500, {}))
  await expect(ask(browser).catch(englishOf)).resolves.toMatchObject({
    title,
    next: expect.stringMatching(/^Wait \d+ minutes/),
  })
  expect(service.seen).toEqual([])
})

it('one e-mail address gets so many codes and no more, whichever strangers ask', async () => {
  const email = newEmail()
  await consumeUp('code-strangers', email)
  await expect(requestCode({ email }, newBrowser()).catch(englishOf)).resolves.toMatchObject({
    title: 'Too many codes were asked for.',
  })
})

it('one address of the network guesses so many codes that it never asked for, whoever they are for', async () => {
  const browser = newBrowser()
  await consumeUp('guess-per-ip', browser.ip)
  expect(await signInWithCode({ email: newEmail(), code: '123456' }, browser)).toEqual({
    kind: 'refused',
    why: 'too-many',
  })
})

it('one address of the network tries so many signatures and no more', async () => {
  const browser = newBrowser()
  await consumeUp('wallet-per-ip', browser.ip)
  const { message } = await issueChallenge({ address, chainId: 1 }, browser)
  expect(await signInWithWallet({ message, signature: '0x12' }, browser)).toEqual({
    kind: 'refused',
    why: 'too-many',
  })
})

it('one address of the network may ask only so often whether a code was sent', async () => {
  const [email, browser] = [newEmail(), newBrowser()]
  recordLateRefusal(browser.browserId, email, 'service-unavailable')
  expect(await codeDeliveryStatus({ email }, browser)).toBe('service-unavailable')
  await consumeUp('bounce-per-ip', browser.ip)
  expect(await codeDeliveryStatus({ email }, browser)).toBeNull()
})

it('a NUL is refused as any other wrong text is, without an error', async () => {
  const [email, browser] = [newEmail(), newBrowser()]
  const { message } = await issueChallenge({ address, chainId: 1 }, browser)
  const signature = await wallet.signMessage({ message })
  const proof = await proveInBrowser(wallet, browser)
  const logged = captureLog()
  const why = async (outcome: Promise<unknown>) =>
    outcome.catch((error: unknown) => (error instanceof InvalidInput ? error.fields : error))
  for (const nul of ['\0', '%00', '&#0;', '\\u0000']) {
    const wrong = { kind: 'refused', why: 'code-elsewhere' }
    expect(await why(signInWithCode({ email: `${nul}${email}`, code: '123456' }, browser))).toEqual(wrong)
    expect(await why(signInWithCode({ email: nul, code: nul }, browser))).toEqual(refusedAs('code-refused'))
    expect(await why(signInWithCode({ email, code: `12${nul}3456` }, browser))).toMatchObject({
      kind: 'refused',
    })
  }
  for (const at of [0, 5, message.length]) {
    const [changed, ofSignUp] = [message, proof.message].map(
      (text) => `${text.slice(0, at)}\0${text.slice(at)}`,
    )
    expect(await why(signInWithWallet({ message: changed ?? '', signature }, browser))).toEqual(
      refusedAs('message-unknown'),
    )
    expect(await why(proveWallet({ ...proof, message: ofSignUp ?? '' }, browser))).toEqual({
      wallet: 'message-unknown',
    })
  }
  expect(await why(signInWithWallet({ message, signature: `${signature}\0` }, browser))).toEqual(
    refusedAs('signature-unreadable'),
  )
  logged.stop()
  expect(logged.lines).toEqual([])
})

const refusedAs = (why: string) => ({ kind: 'refused', why })

it('opens no session for anybody but the user whose code was typed', async () => {
  const [userUuid, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const email = newEmail()
  const nothing = { targetAddress: null, firstName: null, lastName: null, country: null, status: null }
  await inTransaction(pool(), (tx) => saveToDirectory(tx, { userUuid, email, ...nothing }, 'sign-up'))
  const browser = newBrowser()
  service.answers(json(204, {}))
  await requestCode({ email }, browser)
  service.answers(json(200, { service_session_id: 'opaque', user_uuid: other }))
  expect(await signInWithCode({ email, code: '123456' }, browser)).toEqual({
    kind: 'refused',
    why: 'another-user',
  })
  expect(await prisma().session.count({ where: { userUuid: { in: [userUuid, other] } } })).toBe(0)
})
