import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ActionContext } from '#lib/access/caller.ts'
import { eraseUser } from '#lib/people/erasure/erase-user.ts'
import { findErasure } from '#lib/people/erasure/erasure-store.ts'
import { noteUsers, readDueUsers } from '#lib/people/lookup/user-reader.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { InvalidInput, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { anaDemo, newEmail } from '../../../test/accounts.ts'
import { recordBounce } from '../../../test/bounces.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { inRealTime, startService, type TestService } from '../../../test/service.ts'
import { newWallet, proveInBrowser } from '../../../test/wallets.ts'
import { readSession } from '../sessions/read-session.ts'
import { findUserByEmail } from '../users/directory.ts'
import { minimumDurationMs } from './code-limits.ts'
import { codeDeliveryStatus, requestCode } from './request-code.ts'
import { signInWithCode } from './sign-in-with-code.ts'
import { issueChallenge, signInWithWallet, type WalletProof } from './sign-in-with-wallet.ts'
import { signUp } from './sign-up.ts'
import { decideSignUpWallet, findSignUpWallet } from './sign-up-record.ts'

// An attacker makes an account with their own wallet and somebody else's address, or the reverse, and waits
// until that person uses it.

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const refused = (why: string) => ({ kind: 'refused', why })
const signedIn = { kind: 'signed-in' }
const person = (email: string) => ({ email, ...anaDemo })

async function signUpWithWallet(email = newEmail()) {
  const [wallet, browser] = [newWallet(), newBrowser()]
  await signUp({ ...person(email), wallet: await proveInBrowser(wallet, browser) }, browser)
  return { email, wallet, browser }
}

async function signInByWallet(wallet: ReturnType<typeof newWallet>, browser: ActionContext) {
  const { message } = await issueChallenge({ address: wallet.address, chainId: 1 }, browser)
  return signInWithWallet({ message, signature: await wallet.signMessage({ message }) }, browser)
}

async function signInByCode(email: string, browser: ActionContext) {
  await requestCode({ email }, browser)
  const code = (await service.codes(email)).at(-1) ?? ''
  const outcome = await signInWithCode({ email, code }, browser)
  if (outcome.kind !== 'signed-in') throw new Error(outcome.why)
  const caller = await readSession(outcome.token, new Date())
  if (!caller) throw new Error('no session')
  return caller
}

describe('an account made with somebody else’s e-mail address and one’s own wallet', () => {
  it('lets nobody in by that wallet, also after its owner has signed in with a code', async () => {
    const { email, wallet, browser: attacker } = await signUpWithWallet()
    expect(await signInByWallet(wallet, attacker)).toEqual(refused('wallet-refused'))
    const victim = await signInByCode(email, newBrowser())
    expect(await signInByWallet(wallet, attacker)).toEqual(refused('wallet-refused'))
    expect(await findSignUpWallet(victim)).toEqual({
      address: wallet.address,
      givenAt: expect.stringMatching(/^\d{4}-/),
    })
  })

  it.each([
    ['refused', refused('wallet-refused')],
    ['usable', signedIn],
  ] as const)('is %s by its owner, who is told of the wallet', async (decision, outcome) => {
    const { email, wallet, browser: attacker } = await signUpWithWallet()
    const browser = newBrowser()
    const victim = await signInByCode(email, browser)
    await decideSignUpWallet(victim, { decision }, browser)
    expect(await findSignUpWallet(victim)).toBeNull()
    expect(await signInByWallet(wallet, attacker)).toMatchObject(outcome)
    const entry = { action: 'sign-up.decide-wallet', target: victim.userUuid ?? '' }
    expect(await prisma().audit.findMany({ where: entry })).toMatchObject([{ details: { decision } }])
    await expect(decideSignUpWallet(victim, { decision: 'usable' }, browser)).rejects.toThrow(
      'There is nothing to decide any more.',
    )
  })

  it('is refused in the words and the time of a wallet that no account has', async () => {
    const taken = newEmail()
    await signUp({ ...person(taken), wallet: undefined }, newBrowser())
    const made = await signUpWithWallet()
    const notMade = await signUpWithWallet(taken)
    const tried = async ({ wallet, browser }: typeof made) => {
      const began = performance.now()
      const outcome = await inRealTime(() => signInByWallet(wallet, browser))
      return { outcome, hasWaited: performance.now() - began >= minimumDurationMs }
    }
    const first = await tried(made)
    expect(first).toEqual({ outcome: refused('wallet-refused'), hasWaited: true })
    expect(await tried(notMade)).toEqual(first)
    const whyTo = async ({ browser: { ip } }: typeof made) =>
      (await prisma().audit.findMany({ where: { ip, action: 'session.start' } })).map(
        ({ details }) => details,
      )
    expect(await whyTo(made)).toEqual([{ method: 'wallet', why: 'wallet-unproven' }])
    expect(await whyTo(notMade)).toEqual([
      { method: 'wallet', why: expect.stringMatching(/^(wrong|unknown)-wallet$/) },
    ])
  })

  it('is decided by a fresh sign-in alone', async () => {
    const { email } = await signUpWithWallet()
    const victim = await signInByCode(email, newBrowser())
    const stale = { ...victim, signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() }
    await expect(decideSignUpWallet(stale, { decision: 'usable' }, newBrowser())).rejects.toThrow(SignInAgain)
    expect(await findSignUpWallet(victim)).not.toBeNull()
  })
})

describe('an account whose person was erased here', () => {
  const admin = callerWith('admin')

  /** The service made this user with the address. */
  async function made(email: string) {
    const accounts = z.array(z.object({ uuid: z.string(), email: z.string() }))
    const user = accounts.parse(await service.control('/users')).find((account) => account.email === email)
    return user?.uuid ?? ''
  }

  async function erase(userUuid: string) {
    await eraseUser(admin, { userUuid, reason: 'a test' }, newBrowser())
    await expect.poll(() => findErasure(admin, userUuid)).toMatchObject({ finishedAt: expect.any(String) })
  }

  /** Nobody is signed in by this wallet, and the result reveals nothing about the person. */
  async function expectShut(userUuid: string, wallet: ReturnType<typeof newWallet>, browser: ActionContext) {
    expect(await signInByWallet(wallet, browser)).toEqual(refused('account-erased'))
    const where = { userUuid }
    expect(await prisma().session.count({ where })).toBe(0)
    expect(await prisma().person.count({ where })).toBe(0)
    expect(await prisma().signUp.count({ where })).toBe(0)
    expect(await prisma().signUpAttempt.count({ where: { targetAddress: wallet.address } })).toBe(0)
  }

  it('lets nobody in by a wallet that waited for a proof', async () => {
    const { email, wallet, browser } = await signUpWithWallet()
    const userUuid = await made(email)
    await erase(userUuid)
    await expectShut(userUuid, wallet, browser)
  })

  it('nor by one that its owner had refused', async () => {
    const { email, wallet, browser } = await signUpWithWallet()
    const victim = await signInByCode(email, newBrowser())
    await decideSignUpWallet(victim, { decision: 'refused' }, newBrowser())
    await erase(victim.userUuid ?? '')
    await expectShut(victim.userUuid ?? '', wallet, browser)
  })

  it('nor by one that was given while the service’s answer was lost', async () => {
    const [email, wallet, browser] = [newEmail(), newWallet(), newBrowser()]
    const proof = await proveInBrowser(wallet, browser)
    service.loseAnswer((route) => route === 'POST /user', 1)
    await expect(signUp({ ...person(email), wallet: proof }, browser)).rejects.toThrow(Refused)
    const userUuid = await made(email)
    await erase(userUuid)
    await expectShut(userUuid, wallet, browser)
  })
})

describe('an account that was made while the service’s answer was lost', () => {
  const making = (route: string) => route === 'POST /user'

  /** The sign-up uses a wallet; the service makes the account and its answer is lost. */
  async function signUpUnanswered(
    meanwhile?: (wallet: ReturnType<typeof newWallet>, browser: ActionContext) => unknown,
  ) {
    const [email, wallet, browser] = [newEmail(), newWallet(), newBrowser()]
    const proof = await proveInBrowser(wallet, browser)
    service.loseAnswer(making, 1, () => meanwhile?.(wallet, browser))
    await expect(signUp({ ...person(email), wallet: proof }, browser)).rejects.toThrow(Refused)
    return { email, wallet, browser }
  }

  it('lets nobody in by the wallet that was given, until its owner decides', async () => {
    const { email, wallet, browser: attacker } = await signUpUnanswered()
    for (const browser of [attacker, newBrowser()])
      expect(await signInByWallet(wallet, browser)).toEqual(refused('wallet-refused'))
    const browser = newBrowser()
    const victim = await signInByCode(email, browser)
    expect(await signInByWallet(wallet, attacker)).toEqual(refused('wallet-refused'))
    expect(await findSignUpWallet(victim)).toMatchObject({ address: wallet.address })
    await decideSignUpWallet(victim, { decision: 'refused' }, browser)
    expect(await signInByWallet(wallet, attacker)).toEqual(refused('wallet-refused'))
  })

  it('nor while the answer is under way, which is as far as a server came that died then', async () => {
    const outcomes: unknown[] = []
    await signUpUnanswered(async (wallet, browser) => outcomes.push(await signInByWallet(wallet, browser)))
    expect(outcomes).toEqual([refused('wallet-refused')])
  })

  it('nor after a second sign-up, which the service refused', async () => {
    const { email, wallet, browser } = await signUpUnanswered()
    await signUp({ ...person(email), wallet: await proveInBrowser(wallet, browser) }, browser)
    expect(await signInByWallet(wallet, browser)).toEqual(refused('wallet-refused'))
  })

  it('lets the wallet in once a code was typed in the browser that signed up', async () => {
    const { email, wallet, browser } = await signUpUnanswered()
    expect(await signInByWallet(wallet, browser)).toEqual(refused('wallet-refused'))
    await signInByCode(email, browser)
    expect(await signInByWallet(wallet, newBrowser())).toMatchObject(signedIn)
  })

  it('is one that waits from the first code on, when a delivery names it before anybody tries the wallet', async () => {
    const { email, wallet, browser: attacker } = await signUpUnanswered()
    const accounts = z.array(z.object({ uuid: z.string(), email: z.string() }))
    const made = accounts.parse(await service.control('/users')).find((account) => account.email === email)
    await noteUsers(pool(), [made?.uuid ?? ''])
    await readDueUsers(pool(), serviceClient(), 0)
    const victim = await signInByCode(email, newBrowser())
    expect(await findSignUpWallet(victim)).toMatchObject({ address: wallet.address })
    expect(await signInByWallet(wallet, attacker)).toEqual(refused('wallet-refused'))
  })

  it.each([
    ['made', () => {}],
    ['refused', () => service.answerWith(400, making)],
  ])('leaves no attempt behind when the service says that it was %s', async (_what, prepare) => {
    const [wallet, browser] = [newWallet(), newBrowser()]
    const proof = await proveInBrowser(wallet, browser)
    prepare()
    await signUp({ ...person(newEmail()), wallet: proof }, browser).catch(() => null)
    const targetAddress = wallet.address
    expect(await prisma().signUpAttempt.findMany({ where: { targetAddress } })).toEqual([])
  })
})

it('the wallet may sign in once a code was typed in the browser that signed up', async () => {
  const { email, wallet, browser } = await signUpWithWallet()
  const caller = await signInByCode(email, browser)
  expect(await findSignUpWallet(caller)).toBeNull()
  expect(await signInByWallet(wallet, newBrowser())).toMatchObject(signedIn)
})

describe('an account with one’s own e-mail address and somebody else’s wallet', () => {
  it.each<[string, (victims: ReturnType<typeof newWallet>, browser: ActionContext) => Promise<WalletProof>]>([
    ['that did not sign', (wallet, browser) => proveInBrowser(wallet, browser, newWallet())],
    ['that signed in another browser', (wallet) => proveInBrowser(wallet, newBrowser())],
    [
      'that signed to sign in',
      async (wallet, browser) => {
        const { message } = await issueChallenge({ address: wallet.address, chainId: 1 }, browser)
        return { message, signature: await wallet.signMessage({ message }) }
      },
    ],
    [
      'that is a smart account',
      async (wallet, browser) => ({
        ...(await proveInBrowser(wallet, browser)),
        signature: `0x${'ab'.repeat(130)}`,
      }),
    ],
    [
      'whose signature no key can have made',
      async (wallet, browser) => ({
        ...(await proveInBrowser(wallet, browser)),
        signature: `0x${'ff'.repeat(65)}`,
      }),
    ],
  ])('is not made with a wallet %s', async (_how, forge) => {
    const [victims, browser, email] = [newWallet(), newBrowser(), newEmail()]
    const wallet = await forge(victims, browser)
    const asked = service.seen.filter((route) => route === 'POST /user').length
    await expect(signUp({ ...person(email), wallet }, browser)).rejects.toThrow(InvalidInput)
    expect(service.seen.filter((route) => route === 'POST /user')).toHaveLength(asked)
    expect(await findUserByEmail(cleanText(email))).toBeNull()
  })
})

it('a message signed to sign up signs nobody in', async () => {
  const { email, wallet, browser } = await signUpWithWallet()
  await signInByCode(email, browser)
  const proof = await proveInBrowser(wallet, browser)
  expect(await signInWithWallet(proof, browser)).toEqual(refused('message-unknown'))
})

it('an account that the service alone knows gets no code, and the one who signs up is told the same', async () => {
  const signsUp = async (email: string) => {
    const browser = newBrowser()
    const signedUp = await signUp({ ...person(email), wallet: undefined }, browser)
    const { resendInSeconds } = await requestCode({ email }, browser)
    const again = await requestCode({ email }, browser)
    const { email: _, ...rest } = signedUp
    return { rest, resendInSeconds, waits: again.resendInSeconds > 0 }
  }
  const [known, unknown] = [newEmail(), newEmail()]
  const names = { first_name: 'Made', last_name: 'Elsewhere', country: 'ES' }
  const made = await fetch(`${service.baseUrl}/user`, {
    method: 'POST',
    headers: { authorization: service.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ ...names, email: unknown }),
  })
  expect(made.ok).toBe(true)
  expect(await signsUp(unknown)).toEqual(await signsUp(known))
  expect([await service.codes(unknown), await service.codes(known)]).toEqual([[], [expect.any(String)]])
  expect(await findUserByEmail(cleanText(unknown))).toBeNull()
})

it('a bounced mail is told to the browser that signed up, and to no other', async () => {
  const { email, browser } = await signUpWithWallet()
  const stranger = newBrowser()
  await requestCode({ email }, browser)
  await requestCode({ email }, stranger)
  const { userUuid = '' } = (await findUserByEmail(cleanText(email))) ?? {}
  await recordBounce(userUuid)
  expect(await codeDeliveryStatus({ email }, browser)).toBe('bounced')
  expect(await codeDeliveryStatus({ email }, stranger)).toBeNull()
})
