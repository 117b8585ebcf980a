import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ActionContext } from '#lib/access/caller.ts'
import { listNotices } from '#lib/audit/notices/notices.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { consumeLimit, type Limit, readLeft } from '#lib/platform/limits/limits.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { anaDemo, newAccount, newEmail } from '../../../test/accounts.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { inMeasuredTime, startService, type TestService } from '../../../test/service.ts'
import { emailKey } from '../users/person-texts.ts'
import { findStrangerAlarm, markStrangerAlarmsSeen } from './code-limits.ts'
import { findRecipient } from './code-request.ts'
import { requestCode } from './request-code.ts'
import { signInWithCode } from './sign-in-with-code.ts'
import { signUp } from './sign-up.ts'
import { signUpKey } from './sign-up-record.ts'

// Strangers guess codes, or try to keep somebody out. Nobody's attempts use up another person's limits.

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const refused = (why: string) => ({ kind: 'refused', why })
const signedIn = { kind: 'signed-in' }
const newest = async (email: string) => (await service.codes(email)).at(-1) ?? ''

/** The browser is not the one that signed up. */
const newVictim = async (email = newEmail()) => ({ ...(await newAccount(email)), browser: newBrowser() })

const forgetPauses = () => prisma().rateLimit.deleteMany({ where: { key: { startsWith: 'code-pause' } } })

/** The sign-in with a code makes the browser known. */
async function signIn(email: string, browser: ActionContext) {
  await forgetPauses()
  await requestCode({ email }, browser)
  expect(await signInWithCode({ email, code: await newest(email) }, browser)).toMatchObject(signedIn)
}

/** The result says how many were left. */
async function consumeUp(limit: Limit, key: string) {
  const { left } = await readLeft(limit, key)
  await consumeLimit(limit, key, left + 1)
  return left
}

/** Strangers have used up their requests and guesses for an address, in this spelling. */
async function strangersUseUp(email: string) {
  const tried = async (limit: Limit, inAnyCase: Limit) =>
    consumeLimit(inAnyCase, emailKey(email), await consumeUp(limit, email))
  await tried('code-strangers', 'code-strangers-any-case')
  await tried('code-strangers-daily', 'code-strangers-any-case-daily')
  await tried('guess-strangers-daily', 'guess-strangers-any-case-daily')
}

describe('the victim gets in while attacked', () => {
  // No limit of guesses at one person is higher than 60.
  it.each([11, 120])('by %i anonymous guesses, which the service never hears of', async (guesses) => {
    const { email, browser } = await newVictim()
    await requestCode({ email }, browser)
    const asked = service.seen.length
    const guess = () => signInWithCode({ email, code: '000000' }, newBrowser())
    expect(await Promise.all(Array.from({ length: guesses }, guess))).toEqual(
      Array(guesses).fill(refused('code-elsewhere')),
    )
    expect(service.seen.length).toBe(asked)
    expect(await signInWithCode({ email, code: await newest(email) }, browser)).toMatchObject(signedIn)
  })

  it('by strangers who ask for codes of their own and guess: their guesses do not count against the code', async () => {
    const { email, browser } = await newVictim()
    const strangers = [newBrowser(), newBrowser(), newBrowser()]
    for (const stranger of strangers) await requestCode({ email }, stranger)
    await requestCode({ email }, browser)
    const asked = service.seen.length
    for (const stranger of strangers)
      for (let guess = 0; guess < 3; guess++)
        expect(await signInWithCode({ email, code: '000000' }, stranger)).toEqual(refused('code-refused'))
    expect(service.seen.length).toBe(asked)
    expect(await signInWithCode({ email, code: await newest(email) }, browser)).toMatchObject(signedIn)
  })

  it('by strangers who have used up all that strangers may: in a browser that has signed in before', async () => {
    const { email, browser } = await newVictim()
    await signIn(email, browser)
    await strangersUseUp(email)
    // The strangers may share the network address of the victim.
    for (const limit of ['code-per-ip', 'guess-per-ip'] as const) await consumeUp(limit, browser.ip ?? '')
    await expect(requestCode({ email }, newBrowser())).rejects.toThrow(Refused)
    await signIn(email, browser)
  })

  it('by a stranger whose newer code made theirs worthless: with the newer one, which only they can read', async () => {
    const { email, browser } = await newVictim()
    await signIn(email, browser)
    await forgetPauses()
    await requestCode({ email }, browser)
    await requestCode({ email }, newBrowser())
    expect(await signInWithCode({ email, code: await newest(email) }, browser)).toMatchObject(signedIn)
  })
})

describe('whoever has just signed up gets in, in that browser', () => {
  async function signUpIn(browser: ActionContext, email = newEmail()) {
    await signUp({ email, ...anaDemo, wallet: undefined }, browser)
    return { browser, email }
  }

  it('when strangers have used up all that strangers may, and spends nothing of theirs', async () => {
    const { email, browser } = await signUpIn(newBrowser())
    const spent = () => prisma().rateLimit.count({ where: { key: { startsWith: 'code-strangers' } } })
    const before = await spent()
    await requestCode({ email }, browser)
    expect(await spent()).toBe(before)
    await strangersUseUp(email)
    for (const limit of ['code-per-ip', 'guess-per-ip'] as const) await consumeUp(limit, browser.ip ?? '')
    await expect(requestCode({ email }, newBrowser())).rejects.toThrow(Refused)
    await signIn(email, browser)
  })

  it('when a stranger asks right after: with the newer code, which only they can read', async () => {
    const { email, browser } = await signUpIn(newBrowser())
    await requestCode({ email }, browser)
    await requestCode({ email }, newBrowser())
    expect(await signInWithCode({ email, code: await newest(email) }, browser)).toMatchObject(signedIn)
  })

  it('and who signed up with an address that somebody has may ask as often, yet takes no code away', async () => {
    const { email } = await newVictim()
    const { browser } = await signUpIn(newBrowser(), email)
    const victim = newBrowser()
    await requestCode({ email }, browser)
    await requestCode({ email }, victim)
    const asked = service.seen.length
    expect(await signInWithCode({ email, code: '000000' }, browser)).toEqual(refused('code-refused'))
    expect(service.seen.length).toBe(asked)
    await strangersUseUp(email)
    await forgetPauses()
    expect(await requestCode({ email }, browser)).toMatchObject({ resendInSeconds: 30 })
  })

  it('which is one of three in a week', async () => {
    const { email } = await signUpIn(newBrowser())
    const [second, third, fourth] = [newBrowser(), newBrowser(), newBrowser()]
    for (const browser of [second, second, third, fourth]) await signUpIn(browser, email)
    await strangersUseUp(email)
    await requestCode({ email }, third)
    await expect(requestCode({ email }, fourth)).rejects.toThrow(Refused)
  })

  it('up to a limit of its own', async () => {
    const { email, browser } = await signUpIn(newBrowser())
    await consumeUp('code-sign-up-browser-daily', signUpKey(email, browser.browserId))
    await expect(requestCode({ email }, browser)).rejects.toThrow('Too many codes were asked for.')
    await requestCode({ email }, newBrowser())
  })
})

describe('a code', () => {
  it('works in the browser that asked for it, and in no other', async () => {
    const { email, browser } = await newVictim()
    await requestCode({ email }, browser)
    const code = await newest(email)
    const asked = service.seen.length
    for (const other of [newBrowser(), { ...browser, browserId: null }])
      expect(await signInWithCode({ email, code }, other)).toEqual(refused('code-elsewhere'))
    expect(service.seen.length).toBe(asked)
    expect(await signInWithCode({ email, code }, browser)).toMatchObject(signedIn)
  })

  it('works in no other browser either that asked for one itself, a moment before', async () => {
    const { email, browser } = await newVictim()
    const other = newBrowser()
    await requestCode({ email }, other)
    await requestCode({ email }, browser)
    const code = await newest(email)
    expect(await signInWithCode({ email, code }, other)).toEqual(refused('code-refused'))
    expect(await signInWithCode({ email, code }, browser)).toMatchObject(signedIn)
  })

  it('works for half an hour', async () => {
    const { email, userUuid, browser } = await newVictim()
    await requestCode({ email }, browser)
    await prisma().codeRequest.updateMany({
      where: { userUuid },
      data: { sentAt: new Date(Date.now() - 31 * 60_000) },
    })
    expect(await signInWithCode({ email, code: await newest(email) }, browser)).toEqual(
      refused('code-elsewhere'),
    )
  })
})

describe('when strangers have tried too often in one day', () => {
  const alarms = (userUuid: string) => prisma().strangerAlarm.findMany({ where: { userUuid } })

  it('no further guess of a stranger is looked at, and the person and the admins are told once', async () => {
    const { email, userUuid, browser } = await newVictim()
    await requestCode({ email }, browser)
    await consumeUp('guess-strangers-daily', email)
    const asked = service.seen.length
    for (let guess = 0; guess < 2; guess++)
      expect(await signInWithCode({ email, code: await newest(email) }, browser)).toEqual(
        refused('strangers-stopped'),
      )
    expect(service.seen.length).toBe(asked)
    expect(await alarms(userUuid)).toMatchObject([{ seenAt: null }])
    const entries = { where: { action: 'code.strangers-stopped', target: userUuid } }
    expect(await prisma().audit.count(entries)).toBe(1)
    const { notices } = await listNotices(callerWith('admin'))
    expect(notices.filter(({ about }) => about === userUuid)).toMatchObject([{ kind: 'strangers-stopped' }])
    const victim = callerWith('end-user', { userUuid })
    expect(await findStrangerAlarm(victim)).toMatch(/^\d{4}-/)
    expect(await findStrangerAlarm(callerWith('end-user'))).toBeNull()
    expect(await markStrangerAlarmsSeen(victim, {}, browser)).toEqual({ marked: 1 })
    expect(await findStrangerAlarm(victim)).toBeNull()
  })

  it('an address that nobody has is stopped in the same words and time', async () => {
    const { email, userUuid } = await newVictim()
    const unknown = newEmail()
    await consumeUp('code-strangers-daily', email)
    await consumeUp('code-strangers-daily', unknown)
    const ask = async (address: string) => {
      const from = performance.now()
      const said = await requestCode({ email: address }, newBrowser()).catch((error: unknown) => error)
      return { said, ms: performance.now() - from }
    }
    const [[known, other], late] = await inMeasuredTime(
      async () => [await ask(email), await ask(unknown)] as const,
    )
    expect(known.said).toMatchObject({ message: 'Too many codes were tried for this address today.' })
    expect(known.said).toEqual(other.said)
    expect(Math.abs(known.ms - other.ms)).toBeLessThan(300 + late)
    expect(await alarms(userUuid)).toHaveLength(1)
  })
})

it('two people whose addresses differ in case only get each their own codes, and stop each other in nothing', async () => {
  const address = newEmail()
  const lower = await newVictim(address)
  const upper = await newVictim(address.replace('u', 'U'))
  expect(lower.userUuid).not.toBe(upper.userUuid)
  await strangersUseUp(lower.email)
  await expect(requestCode({ email: lower.email }, newBrowser())).rejects.toThrow(Refused)
  await requestCode({ email: upper.email }, upper.browser)
  expect(await service.codes(lower.email)).toEqual([])
  const [code = ''] = await service.codes(upper.email)
  const outcome = await signInWithCode({ email: upper.email, code }, upper.browser)
  expect(outcome).toMatchObject(signedIn)
  expect(await prisma().knownBrowser.count({ where: { userUuid: upper.userUuid } })).toBe(1)
  expect(await prisma().knownBrowser.count({ where: { userUuid: lower.userUuid } })).toBe(0)
})

it('a browser that asked for one of two people whose addresses differ in case only tries no code of the other', async () => {
  const address = newEmail()
  const lower = await newVictim(address)
  const upper = await newVictim(address.replace('u', 'U'))
  await requestCode({ email: upper.email }, upper.browser)
  await requestCode({ email: lower.email }, lower.browser)
  const [code = ''] = await service.codes(upper.email)
  const asked = service.seen.length
  expect(await signInWithCode({ email: upper.email, code }, lower.browser)).toEqual(refused('code-refused'))
  expect(service.seen.length).toBe(asked)
  expect(await signInWithCode({ email: upper.email, code }, upper.browser)).toMatchObject(signedIn)
})

it('whoever signs up with another spelling of somebody’s address keeps them out of no third one', async () => {
  const address = newEmail()
  const victim = await newVictim(address)
  const stranger = await newVictim(address.replace('u', 'U'))
  const typed = address.toUpperCase()
  await requestCode({ email: typed }, victim.browser)
  const code = await newest(victim.email)
  expect(await signInWithCode({ email: typed, code }, victim.browser)).toMatchObject(signedIn)
  await signIn(stranger.email, stranger.browser)
  const meant = (browser: ActionContext) => findRecipient(typed, browser.browserId)
  expect(await meant(stranger.browser)).toMatchObject({ userUuid: stranger.userUuid })
  expect(await meant(newBrowser())).toMatchObject({ userUuid: victim.userUuid })
})

it('nobody asks for more codes of one person by typing the address in ever other cases', async () => {
  const { email } = await newVictim()
  await strangersUseUp(email)
  const spellings = Array.from(email.slice(1, 9), (_, n) => email.slice(0, n) + email.slice(n).toUpperCase())
  const asked = await Promise.allSettled(
    spellings.map((typed) => requestCode({ email: typed }, newBrowser())),
  )
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await service.codes(email)).toHaveLength(1)
})

it('nor tries more codes', async () => {
  const { email, browser } = await newVictim()
  const typed = email.toUpperCase()
  await requestCode({ email: typed }, browser)
  await consumeUp('guess-strangers-any-case-daily', emailKey(email))
  expect(await signInWithCode({ email: typed, code: '000000' }, browser)).toEqual(
    refused('strangers-stopped'),
  )
})

it('a browser that has signed in before has so many guesses a day, and another one its own', async () => {
  const { email, browser } = await newVictim()
  await signIn(email, browser)
  const another = newBrowser()
  await signIn(email, another)
  const { userUuid } = await findRecipient(email, browser.browserId)
  for (let guesses = 0; guesses < 60; guesses++)
    await consumeLimit('guess-known-browser-daily', `${userUuid} ${browser.browserId}`)
  await forgetPauses()
  await requestCode({ email }, browser)
  expect(await signInWithCode({ email, code: '000000' }, browser)).toEqual(refused('too-many'))
  await signIn(email, another)
})
