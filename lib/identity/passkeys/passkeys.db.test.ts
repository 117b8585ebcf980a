import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ActionContext, Caller } from '#lib/access/caller.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { type Authenticator, type Misbehaviour, openAuthenticator } from '../../../test/authenticator.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { captureLog } from '../../../test/log.ts'
import { countWaiting } from '../../../test/postgres.ts'
import { signInMessages } from '../labels/sign-in-messages.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'
import { readSession } from '../sessions/read-session.ts'
import {
  addOwnPasskey,
  beginOwnPasskey,
  listOwnPasskeys,
  RenamePasskeySchema,
  removePasskey,
  renamePasskey,
} from './own-passkeys.ts'
import { RegistrationAnswerSchema, SignatureAnswerSchema } from './passkey-challenges.ts'
import { beginRegistration, insertPasskey, verifyRegistration } from './registration.ts'
import {
  beginConfirmation,
  beginPasskeySignIn,
  confirmWithPasskey,
  readFreshness,
  signInWithPasskey,
} from './verify-passkey.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** The member has no account at the service. */
async function newMember(given: Partial<Caller> = {}): Promise<Caller> {
  const memberId = uuidv7()
  await prisma().member.create({ data: { id: memberId, name: 'Kim', role: 'admin' } })
  return callerWith('admin', { userUuid: null, memberId, id: memberId, name: 'Kim', ...given })
}

async function addPasskey(
  caller: Caller,
  browser = newBrowser(),
  device = openAuthenticator(),
  made: Misbehaviour = {},
) {
  const { challenge } = await beginOwnPasskey(caller, {}, browser)
  const answer = RegistrationAnswerSchema.parse(device.register(challenge, made))
  const { passkeyId } = await addOwnPasskey(caller, { answer, passkeyName: 'Work laptop' }, browser)
  return { passkeyId, device }
}

async function signIn(device: Authenticator, wrong: Misbehaviour = {}, browser = newBrowser()) {
  const { challenge } = await beginPasskeySignIn(browser)
  return signInWithPasskey({ answer: SignatureAnswerSchema.parse(device.sign(challenge, wrong)) }, browser)
}

const signInWithChallenge = (device: Authenticator, challenge: string, browser = newBrowser()) =>
  signInWithPasskey({ answer: SignatureAnswerSchema.parse(device.sign(challenge)) }, browser)

const refused = (why: SignInRefusal) => ({ kind: 'refused', why })
const words = (why: SignInRefusal) => signInMessages[why].title

describe('a passkey', () => {
  it('is added under a name, signs its member in, and says when it was used', async () => {
    const member = await newMember()
    const { device } = await addPasskey(member)
    expect(await listOwnPasskeys(member)).toMatchObject([{ name: 'Work laptop', lastUsedAt: null }])
    const outcome = await signIn(device)
    if (outcome.kind !== 'signed-in') throw new Error(outcome.why)
    expect(await readSession(outcome.token, new Date())).toMatchObject({
      id: member.id,
      memberId: member.memberId,
      role: 'admin',
      method: 'passkey',
    })
    expect((await listOwnPasskeys(member))[0]?.lastUsedAt).not.toBeNull()
    const target = String(member.memberId)
    expect(await prisma().audit.findMany({ where: { OR: [{ target }, { actor: target }] } })).toMatchObject([
      { action: 'passkey.add', outcome: 'done', details: { passkey: expect.any(String) } },
      { action: 'session.start', outcome: 'done', details: { method: 'passkey' } },
    ])
  })

  it('is given another name by its owner alone', async () => {
    const [member, other] = [await newMember(), await newMember()]
    const { passkeyId } = await addPasskey(member)
    const rename = (caller: Caller, passkeyName: string) =>
      renamePasskey(caller, RenamePasskeySchema.parse({ passkeyId, passkeyName }), newBrowser())
    await rename(member, ' Phone ')
    await expect(rename(member, 'Phone')).rejects.toThrow('Nothing to change.')
    await expect(rename(other, 'Mine now')).rejects.toThrow('This passkey is gone already.')
    await expect(rename(callerWith('end-user'), 'Mine now')).rejects.toThrow('Passkeys are for the team.')
    for (const nonsense of ['', ' ', 'x'.repeat(61), 'two\nlines'])
      expect(RenamePasskeySchema.safeParse({ passkeyId, passkeyName: nonsense }).success).toBe(false)
    expect(await listOwnPasskeys(member)).toMatchObject([{ name: 'Phone' }])
    expect(await prisma().audit.findMany({ where: { action: 'passkey.rename' } })).toMatchObject([
      {
        actor: member.id,
        target: member.memberId,
        outcome: 'done',
        details: { passkey: passkeyId },
      },
    ])
  })

  it('is one of several, of which the last stays while it is the only way in', async () => {
    const member = await newMember()
    const [one, two] = [await addPasskey(member), await addPasskey(member)]
    await removePasskey(member, { passkeyId: one.passkeyId }, newBrowser())
    await expect(removePasskey(member, { passkeyId: two.passkeyId }, newBrowser())).rejects.toThrow(
      'This is your only way in.',
    )
    expect(await signIn(one.device)).toEqual(refused('passkey-unknown'))
    expect(await signIn(two.device)).toMatchObject({ kind: 'signed-in' })
  })

  it('is the only way in for whoever another provider signs in than the configured one', async () => {
    const removeLast = async (ssoIssuer: string) => {
      const member = await newMember()
      const identity = { ssoIssuer, ssoSubject: member.id }
      await prisma().member.update({ where: { id: member.id }, data: identity })
      const { passkeyId } = await addPasskey(member)
      await removePasskey(member, { passkeyId }, newBrowser())
    }
    const configureIssuer = (issuer: string | undefined) => {
      vi.stubEnv('OIDC_ISSUER', issuer)
      vi.stubEnv('OIDC_CLIENT_ID', issuer && 'rampart')
      globalThis.rampartEnv = undefined
    }
    const only = 'This is your only way in.'
    await expect(removeLast('https://sso.example')).rejects.toThrow(only)
    configureIssuer('https://sso.example/')
    try {
      await removeLast('https://sso.example')
      await expect(removeLast('https://old.example')).rejects.toThrow(only)
    } finally {
      configureIssuer(undefined)
    }
  })

  it('of two removed at once, one stays', async () => {
    const member = await newMember()
    const keys = [await addPasskey(member), await addPasskey(member)]
    const removals = keys.map(({ passkeyId }) => removePasskey(member, { passkeyId }, newBrowser()))
    const settled = await Promise.allSettled(removals)
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await listOwnPasskeys(member)).toHaveLength(1)
  })

  it('is worth nothing once its member was removed', async () => {
    const member = await newMember()
    const { device } = await addPasskey(member)
    const removed = { where: { id: String(member.memberId) }, data: { removedAt: new Date() } }
    await prisma().member.update(removed)
    expect(await signIn(device)).toEqual(refused('passkey-unknown'))
  })

  it('belongs to one member alone', async () => {
    const [one, two] = [await newMember(), await newMember()]
    const { device } = await addPasskey(one)
    await expect(addPasskey(two, newBrowser(), device)).rejects.toThrow('known here already')
  })

  it('is made for whoever becomes a member by a link, in the transaction that makes them one', async () => {
    const browser = newBrowser()
    const memberId = uuidv7()
    const { challenge } = await beginRegistration(
      { memberId, name: 'New', label: 'new@demo.test' },
      browser.browserId,
    )
    const device = openAuthenticator()
    const made = await verifyRegistration(
      RegistrationAnswerSchema.parse(device.register(challenge)),
      browser.browserId,
    )
    expect(made.memberId).toBe(memberId)
    await inTransaction(pool(), async (tx) => {
      await tx.query(`INSERT INTO member (id, name, role) VALUES ($1, 'New', 'support')`, [memberId])
      await insertPasskey(tx, made, 'First')
    })
    expect(await signIn(device)).toMatchObject({ kind: 'signed-in' })
  })
})

describe('signing in with a passkey is refused', () => {
  const wrongs: Record<string, [Misbehaviour, SignInRefusal]> = {
    'when it was signed at another origin': [{ origin: 'http://localhost:3001' }, 'passkey-other-origin'],
    'when it was signed for another host': [{ rpId: 'evil.test' }, 'passkey-refused'],
    'when the device did not verify the person': [{ verified: false }, 'passkey-unverified'],
    'when another key has signed': [{ otherKey: true }, 'passkey-refused'],
  }
  it.each(Object.entries(wrongs))('%s', async (_when, [wrong, why]) => {
    const { device } = await addPasskey(await newMember())
    expect(await signIn(device, wrong)).toEqual(refused(why))
    expect(await signIn(device)).toMatchObject({ kind: 'signed-in' })
  })

  it.each([
    ['counts its uses', {}],
    ['says 0 each time, as one that is kept on several devices', { counter: 0 }],
  ])('when the answer was used before, of a passkey that %s', async (_what, counting) => {
    const { device } = await addPasskey(await newMember())
    const browser = newBrowser()
    const { challenge } = await beginPasskeySignIn(browser)
    const answer = SignatureAnswerSchema.parse(device.sign(challenge, counting))
    expect(await signInWithPasskey({ answer }, browser)).toMatchObject({ kind: 'signed-in' })
    expect(await signInWithPasskey({ answer }, browser)).toEqual(refused('passkey-used'))
  })

  it('when two send the same answer at once: one gets in', async () => {
    const { device } = await addPasskey(await newMember())
    const browser = newBrowser()
    const { challenge } = await beginPasskeySignIn(browser)
    const answer = SignatureAnswerSchema.parse(device.sign(challenge))
    const both = await Promise.all([1, 2].map(() => signInWithPasskey({ answer }, browser)))
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['refused', 'signed-in'])
  })

  it('in another browser than the one that asked', async () => {
    const { device } = await addPasskey(await newMember())
    const { challenge } = await beginPasskeySignIn(newBrowser())
    const answer = SignatureAnswerSchema.parse(device.sign(challenge))
    expect(await signInWithPasskey({ answer }, newBrowser())).toEqual(refused('passkey-other-browser'))
    const nobody = { ...newBrowser(), browserId: null }
    expect(await signInWithPasskey({ answer }, nobody)).toEqual(refused('passkey-other-browser'))
  })

  it.each(['\0', 'a\0b', 'a b', 'x'.repeat(300)])(
    'with %j as its challenge, without an error',
    async (challenge) => {
      const device = openAuthenticator()
      const logged = captureLog()
      expect(await signInWithChallenge(device, challenge)).toEqual(refused('passkey-refused'))
      const caller = await newMember()
      const answer = RegistrationAnswerSchema.parse(device.register(challenge))
      await expect(
        addOwnPasskey(caller, { answer, passkeyName: 'Work laptop' }, newBrowser()),
      ).rejects.toThrow(words('passkey-refused'))
      logged.stop()
      expect(logged.lines).toEqual([])
    },
  )

  it('after a hundred and twenty others from one address of the network', async () => {
    const browser = newBrowser()
    const { device } = await addPasskey(await newMember())
    const said = await Array.fromAsync(Array(130), () => signInWithChallenge(device, 'unknown', browser))
    expect(said.slice(0, 120)).toEqual(Array(120).fill(refused('passkey-other-browser')))
    expect(said.slice(120)).toEqual(Array(10).fill(refused('too-many')))
    expect(await signIn(device)).toMatchObject({ kind: 'signed-in' })
  })

  it('after five minutes', async () => {
    const { device } = await addPasskey(await newMember())
    const browser = newBrowser()
    const { challenge } = await beginPasskeySignIn(browser)
    await prisma().passkeyChallenge.updateMany({ where: { challenge }, data: { expiresAt: new Date() } })
    const answer = SignatureAnswerSchema.parse(device.sign(challenge))
    expect(await signInWithPasskey({ answer }, browser)).toEqual(refused('passkey-expired'))
  })

  it('when its counter went back: then all admins are told', async () => {
    const member = await newMember()
    const { device } = await addPasskey(member)
    expect(await signIn(device, { counter: 7 })).toMatchObject({ kind: 'signed-in' })
    for (const counter of [7, 3, 0])
      expect(await signIn(device, { counter })).toEqual(refused('passkey-copied'))
    expect(await signIn(device, { counter: 8 })).toMatchObject({ kind: 'signed-in' })
    expect(await prisma().adminNotice.count({ where: { about: member.memberId } })).toBe(3)
    expect(await prisma().session.count({ where: { memberId: member.memberId } })).toBe(2)
  })

  it('when it was removed a moment before its use is recorded: then nobody is told of a copy', async () => {
    const member = await newMember()
    const { device, passkeyId } = await addPasskey(member)
    const browser = newBrowser()
    const { challenge } = await beginConfirmation(member, {}, browser)
    const confirmation = SignatureAnswerSchema.parse(device.sign(challenge))
    const attempts = await inTransaction(pool(), async (tx) => {
      await tx.query('DELETE FROM passkey WHERE id = $1', [passkeyId])
      const waiting = Promise.allSettled([
        signIn(device),
        confirmWithPasskey(member, { answer: confirmation }, browser),
      ])
      await expect.poll(() => countWaiting(pool())).toBe(2)
      return { waiting }
    })
    expect(await attempts.waiting).toMatchObject([
      { value: refused('passkey-unknown') },
      { reason: { message: words('passkey-unknown') } },
    ])
    expect(await prisma().adminNotice.count({ where: { about: member.memberId } })).toBe(0)
  })

  it('with what was made to confirm a session, and the other way round', async () => {
    const member = await newMember()
    const browser = newBrowser()
    const { device } = await addPasskey(member, browser)
    const confirmation = await beginConfirmation(member, {}, browser)
    const answer = SignatureAnswerSchema.parse(device.sign(confirmation.challenge))
    expect(await signInWithPasskey({ answer }, browser)).toEqual(refused('passkey-other-browser'))
    const begun = await beginPasskeySignIn(browser)
    const other = SignatureAnswerSchema.parse(device.sign(begun.challenge))
    await expect(confirmWithPasskey(member, { answer: other }, browser)).rejects.toThrow(
      words('passkey-other-browser'),
    )
  })
})

describe('a passkey that may be on several devices', () => {
  it.each([
    ['copied from the start', 'copied', 'copied'],
    ['copied since', 'to be copied', 'copied'],
    ['not copied yet', 'to be copied', 'to be copied'],
    ['no longer copied', 'copied', 'to be copied'],
  ] as const)('signs in whatever its counter says, %s: no admin is told', async (_what, made, kept) => {
    const member = await newMember()
    const { device } = await addPasskey(member, newBrowser(), openAuthenticator(), { kept: made })
    for (const counter of [4, 4, 0, 0, 9, 3])
      expect(await signIn(device, { counter, kept })).toMatchObject({ kind: 'signed-in' })
    expect(await prisma().adminNotice.count({ where: { about: member.memberId } })).toBe(0)
    const entries = await prisma().audit.findMany({
      where: { actor: String(member.memberId), action: 'session.start' },
      orderBy: { id: 'asc' },
    })
    const back = entries.map(({ details }) => JSON.stringify(details).includes('counterWentBack'))
    expect(back).toEqual([false, true, true, false, false, true])
  })

  it('confirms a session, too', async () => {
    const [member, browser] = [await newMember(), newBrowser()]
    const { device } = await addPasskey(member, browser, openAuthenticator(), { kept: 'copied' })
    expect(await signIn(device, { counter: 4, kept: 'copied' })).toMatchObject({ kind: 'signed-in' })
    const { challenge } = await beginConfirmation(member, {}, browser)
    const answer = SignatureAnswerSchema.parse(device.sign(challenge, { counter: 0, kept: 'copied' }))
    expect(await confirmWithPasskey(member, { answer }, browser)).toMatchObject({ fresh: true })
  })
})

describe('adding a passkey is refused', () => {
  const register = async (wrong: Misbehaviour, finishIn?: ActionContext) => {
    const browser = newBrowser()
    const member = await newMember()
    const { challenge } = await beginOwnPasskey(member, {}, browser)
    const answer = RegistrationAnswerSchema.parse(openAuthenticator().register(challenge, wrong))
    try {
      return await addOwnPasskey(member, { answer, passkeyName: 'X' }, finishIn ?? browser)
    } finally {
      expect(await listOwnPasskeys(member)).toEqual([])
    }
  }
  it('when it was made at another origin', () =>
    expect(register({ origin: 'https://evil.test' })).rejects.toThrow(words('passkey-other-origin')))
  it('when the device did not verify the person', () =>
    expect(register({ verified: false })).rejects.toThrow(words('passkey-unverified')))
  it('when it was made for another host', () =>
    expect(register({ rpId: 'evil.test' })).rejects.toThrow(words('passkey-refused')))
  it('in another browser than the one that asked', () =>
    expect(register({}, newBrowser())).rejects.toThrow(words('passkey-other-browser')))

  it('to whoever signed in more than 15 minutes ago', async () => {
    const stale = await newMember({ signedInAt: new Date(Date.now() - 15 * 60_000 - 1).toISOString() })
    await expect(beginOwnPasskey(stale, {}, newBrowser())).rejects.toThrow(SignInAgain)
    const { device } = await addPasskey({ ...stale, signedInAt: new Date().toISOString() })
    const [passkey] = await listOwnPasskeys(stale)
    await expect(removePasskey(stale, { passkeyId: passkey?.id ?? '' }, newBrowser())).rejects.toThrow(
      SignInAgain,
    )
    expect(await signIn(device)).toMatchObject({ kind: 'signed-in' })
  })

  it('with words when it is nonsense', () => {
    for (const nonsense of ['', 'x', '{}', '[]', 'null', JSON.stringify({ id: 'a'.repeat(3_000) })])
      expect(RegistrationAnswerSchema.safeParse(nonsense).success).toBe(false)
  })
})

describe('a session is confirmed', () => {
  async function staleSession() {
    const member = await newMember()
    const { device } = await addPasskey(member)
    const outcome = await signIn(device)
    if (outcome.kind !== 'signed-in') throw new Error(outcome.why)
    const row = await prisma().session.findFirstOrThrow({ where: { memberId: member.memberId } })
    const signedInAt = new Date(Date.now() - 3_600_000)
    await prisma().session.update({ where: { id: row.id }, data: { signedInAt } })
    const read = async () => {
      const caller = await readSession(outcome.token, new Date())
      if (!caller) throw new Error('nobody is signed in')
      return caller
    }
    return { device, read }
  }

  it('by a passkey of the same person', async () => {
    const { device, read } = await staleSession()
    const caller = await read()
    expect(await readFreshness(caller)).toEqual({ fresh: false, hasPasskey: true })
    const browser = newBrowser()
    const { challenge, allowCredentials } = await beginConfirmation(caller, {}, browser)
    expect(allowCredentials).toHaveLength(1)
    const answer = SignatureAnswerSchema.parse(device.sign(challenge))
    await confirmWithPasskey(caller, { answer }, browser)
    expect(await readFreshness(await read())).toEqual({ fresh: true, hasPasskey: true })
  })

  it.each([-90, 5, 90])(
    'as well where this machine’s clock is %s minutes ahead of the database’s',
    async (ahead) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead * 60_000, shouldAdvanceTime: true })
      try {
        const { device, read } = await staleSession()
        const browser = newBrowser()
        const { challenge } = await beginConfirmation(await read(), {}, browser)
        const answer = SignatureAnswerSchema.parse(device.sign(challenge))
        await confirmWithPasskey(await read(), { answer }, browser)
        expect(Date.parse((await read()).signedInAt)).toBeCloseTo(Date.now(), -5)
      } finally {
        vi.useRealTimers()
      }
    },
  )

  it('not by a passkey of another person, nor with a challenge of another person', async () => {
    const [one, two] = [await staleSession(), await staleSession()]
    const browser = newBrowser()
    const caller = await one.read()
    const own = await beginConfirmation(caller, {}, browser)
    const foreignKey = SignatureAnswerSchema.parse(two.device.sign(own.challenge))
    await expect(confirmWithPasskey(caller, { answer: foreignKey }, browser)).rejects.toThrow(
      words('passkey-of-another'),
    )
    const foreign = await beginConfirmation(await two.read(), {}, browser)
    const foreignAnswer = SignatureAnswerSchema.parse(two.device.sign(foreign.challenge))
    await expect(confirmWithPasskey(caller, { answer: foreignAnswer }, browser)).rejects.toThrow(
      words('passkey-of-another'),
    )
    expect(await readFreshness(await one.read())).toMatchObject({ fresh: false })
  })

  it('not without a passkey', async () => {
    const member = await newMember()
    expect(await readFreshness(member)).toEqual({ fresh: true, hasPasskey: false })
    await expect(beginConfirmation(member, {}, newBrowser())).rejects.toThrow('You have no passkey here.')
    await expect(beginConfirmation(callerWith('end-user'), {}, newBrowser())).rejects.toThrow(Refused)
  })
})
