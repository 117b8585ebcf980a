import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ActionContext, Caller } from '#lib/access/caller.ts'
import { changeSettings } from '#lib/operations/settings/settings-forms.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import { anaDemo, newAccount, newEmail } from '../../../test/accounts.ts'
import { recordBounce } from '../../../test/bounces.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { captureLog } from '../../../test/log.ts'
import {
  addSecret,
  inMeasuredTime,
  inRealTime,
  startService,
  type TestService,
} from '../../../test/service.ts'
import { type ActionRequest, runAction } from '../actions/action.ts'
import { readSession } from '../sessions/read-session.ts'
import { findUserByEmail } from '../users/directory.ts'
import { answerSteps, minimumDurationMs, setAnswerWait } from './code-limits.ts'
import { codeDeliveryStatus, RequestCodeSchema, requestCode } from './request-code.ts'
import { signInWithCode } from './sign-in-with-code.ts'
import { SignUpSchema, signUp } from './sign-up.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** The result is the outcome and its time, which could reveal something. */
async function timed<T>(work: Promise<T>): Promise<{ outcome: unknown; ms: number }> {
  const from = performance.now()
  const outcome = await work.catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error
    return wordRefusal('en', error)
  })
  return { outcome, ms: performance.now() - from }
}

const login = (route: string) => route === 'POST /auth/login'

describe('signing in with an e-mail code', () => {
  it('sends a code, takes it once, and knows the browser afterwards', async () => {
    const { email, browser } = await newAccount()
    expect(await requestCode({ email: email.toUpperCase() }, browser)).toEqual({
      email: email.toUpperCase(),
      resendInSeconds: 30,
    })
    const [code = ''] = await service.codes(email)
    const outcome = await signInWithCode({ email, code: ` ${code.slice(0, 3)} ${code.slice(3)} ` }, browser)
    if (outcome.kind !== 'signed-in') throw new Error(outcome.why)
    expect(await readSession(outcome.token, new Date())).toMatchObject({
      email,
      name: 'Ana Demo',
      role: 'end-user',
    })
    expect(
      await prisma().knownBrowser.count({ where: { browserDigest: digestToken(browser.browserId) } }),
    ).toBe(1)
    expect(await signInWithCode({ email, code }, browser)).toEqual({ kind: 'refused', why: 'code-elsewhere' })
  })

  it.each([
    (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`,
    (code: string) => code.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
    (code: string) => `Your code: ${code}. It ends in 10 minutes.`,
    (code: string) => `${code.slice(0, 2)}\u200b${code.slice(2)}`,
  ])('takes a code as it was copied: %s', async (write) => {
    const { email, browser } = await newAccount()
    await requestCode({ email }, browser)
    const [code = ''] = await service.codes(email)
    expect(await signInWithCode({ email, code: write(code) }, browser)).toMatchObject({ kind: 'signed-in' })
  })

  it('counts no guess for what can be no code', async () => {
    const { email, browser } = await newAccount()
    await requestCode({ email }, browser)
    const seen = service.seen.length
    for (const code of ['', '12', 'Your code', 'from ana@demo.test', '361836 or 581691', '…'])
      expect(await signInWithCode({ email, code }, browser)).toEqual({ kind: 'refused', why: 'code-refused' })
    expect(service.seen.length).toBe(seen)
    const [code = ''] = await service.codes(email)
    expect(await signInWithCode({ email, code }, browser)).toMatchObject({ kind: 'signed-in' })
  })

  it.each(['a&b', 'ana/lisboa', "o'brien", 'josé', '用户', '"ana b"'])(
    'sends a code to %s, who is known by that address',
    async (local) => {
      const { email, browser } = await newAccount(`${local}@${crypto.randomUUID()}.test`)
      for (const typed of [` ${email}\u200b`, `mailto:${email}`, `Ana Lima <${email}>`, `${email};`])
        expect(RequestCodeSchema.parse({ email: typed })).toEqual({ email })
      await requestCode({ email }, browser)
      expect(await service.codes(email)).toHaveLength(1)
    },
  )

  it.each([
    ['münchen', 'xn--mnchen-3ya'],
    ['xn--maschneiderei-cdb', 'maßschneiderei'],
    ['demo.xn--p1ai', 'demo.рф'],
  ])('sends a code to whoever is known by %s in either spelling of the host', async (known, typed) => {
    const [local, end] = [`u${crypto.randomUUID()}`, known.includes('.') ? '' : '.test']
    const { email } = await newAccount(`${local}@${known}${end}`)
    const other = RequestCodeSchema.parse({ email: `${local}@${typed}${end}` })
    await requestCode(other, newBrowser())
    expect(await service.codes(email)).toHaveLength(1)
  })

  it('sends a code at once to whoever tries again after the service failed', async () => {
    const { email, browser } = await newAccount()
    service.answerWith(503, login)
    await expect(requestCode({ email }, browser)).rejects.toThrow(Refused)
    expect(await service.codes(email)).toEqual([])
    expect(await requestCode({ email }, browser)).toEqual({ email, resendInSeconds: 30 })
    expect(await service.codes(email)).toHaveLength(1)
  })

  it('known and unknown addresses get the same messages, timing and waits', async () => {
    const { email: known } = await newAccount()
    const unknown = newEmail()
    const ask = async (email: string) => {
      const browser = newBrowser()
      const first = await timed(requestCode({ email }, browser))
      const again = await timed(requestCode({ email }, browser))
      const guess = (from: ActionContext) => timed(signInWithCode({ email, code: '000000' }, from))
      const guesses = [await guess(browser), await guess(newBrowser())]
      guesses.push(...(await Promise.all(Array.from({ length: 5 }, () => guess(browser)))))
      guesses.sort((one, other) => JSON.stringify(one.outcome).localeCompare(JSON.stringify(other.outcome)))
      const bounced = await codeDeliveryStatus({ email }, browser)
      const without = (text: unknown) =>
        JSON.stringify(text)
          .replaceAll(email, 'EMAIL')
          .replaceAll(/"resendInSeconds":\d+/g, 'SECONDS')
      return {
        said: without([first.outcome, again.outcome, guesses.map(({ outcome }) => outcome), bounced]),
        times: [first.ms, ...guesses.map(({ ms }) => ms)],
      }
    }
    const [[one, other], late] = await inMeasuredTime(() => Promise.all([ask(known), ask(unknown)]))
    expect(one.said).toBe(other.said)
    expect(one.said.match(/SECONDS/g)).toHaveLength(2)
    for (const why of ['code-refused', 'code-elsewhere', 'code-used-up']) expect(one.said).toContain(why)
    for (const ms of [...one.times, ...other.times]) {
      // A machine under load answers at the next step.
      expect(answerSteps.some((step) => ms > step - 20 && ms < step + 500 + late)).toBe(true)
    }
    expect(await service.codes(known)).toHaveLength(1)
    expect(await service.codes(unknown)).toHaveLength(0)
  })

  it('takes as long for known and unknown addresses when the service is slow, and slower for one of them', async () => {
    const guess = async (email: string, serviceTakes: number) => {
      const browser = newBrowser()
      await requestCode({ email }, browser)
      service.answerWith(401, (route) => route === 'POST /auth/otp/', 1, serviceTakes)
      return timed(signInWithCode({ email, code: '000000' }, browser))
    }
    const [[known, unknown], late] = await inMeasuredTime(
      async () =>
        [
          await guess((await newAccount()).email, minimumDurationMs + 1_200),
          await guess(newEmail(), minimumDurationMs + 200),
        ] as const,
    )
    expect(known.outcome).toEqual(unknown.outcome)
    expect(Math.abs(known.ms - unknown.ms)).toBeLessThan(500 + late)
  })

  it('answers a guess alike for known and unknown addresses while the service is slow to send one of them its code', async () => {
    const guess = async (email: string, serviceTakes: number) => {
      const browser = newBrowser()
      service.answerWith(204, login, 1, serviceTakes)
      await inRealTime(() => requestCode({ email }, browser))
      return signInWithCode({ email, code: '000000' }, browser)
    }
    const known = await guess((await newAccount()).email, 4_000)
    expect(known).toEqual({ kind: 'refused', why: 'code-refused' })
    expect(await guess(newEmail(), 0)).toEqual(known)
    expect(await guess(newEmail(), 4_000)).toEqual(known)
  })

  it('takes a code that was sent before the server got another secret, and answers for unknown addresses alike', async () => {
    const ask = async (email: string) => {
      const browser = newBrowser()
      await requestCode({ email }, browser)
      return (code: string) => signInWithCode({ email, code }, browser)
    }
    const { email } = await newAccount()
    const [known, unknown] = [await ask(email), await ask(newEmail())]
    const [code = ''] = await service.codes(email)
    addSecret()
    for (const guess of [known, unknown])
      expect(await guess('000000')).toEqual({ kind: 'refused', why: 'code-refused' })
    for (let wrong = 2; wrong <= 5; wrong++) await unknown('000000')
    expect(await unknown('000000')).toEqual({ kind: 'refused', why: 'code-used-up' })
    expect(await known(code)).toMatchObject({ kind: 'signed-in' })
  })

  it('takes the code before, with what is left of its guesses, when the service sent no new one to anybody', async () => {
    const { email, browser } = await newAccount()
    const guess = (code: string) => signInWithCode({ email, code }, browser)
    const fail = async () => {
      await prisma().rateLimit.deleteMany({ where: { key: { startsWith: 'code-pause' } } })
      service.answerWith(503, login)
      await expect(requestCode({ email }, browser)).rejects.toThrow(Refused)
    }
    await fail()
    expect(await guess('000000')).toEqual({ kind: 'refused', why: 'code-elsewhere' })
    await requestCode({ email }, browser)
    const [code = ''] = await service.codes(email)
    await Promise.all(Array.from({ length: 4 }, () => guess('000000')))
    await fail()
    expect(await guess(code)).toMatchObject({ kind: 'signed-in' })
    await prisma().rateLimit.deleteMany({ where: { key: { startsWith: 'code-pause' } } })
    await requestCode({ email }, browser)
    await Promise.all(Array.from({ length: 5 }, () => guess('000000')))
    await fail()
    expect(await guess('000000')).toEqual({ kind: 'refused', why: 'code-used-up' })
  })

  it('does not reveal by the service’s own limit which addresses are known', async () => {
    const { email, browser } = await newAccount()
    service.answerWith(429, login)
    expect(await requestCode({ email }, browser)).toMatchObject({ resendInSeconds: 30 })
    service.answerWith(429, (route) => route === 'POST /auth/otp/')
    expect(await signInWithCode({ email, code: '123456' }, browser)).toEqual({
      kind: 'refused',
      why: 'code-refused',
    })
  })

  it.each([
    ['known', newAccount],
    ['unknown', async () => ({ email: newEmail(), browser: newBrowser() })],
  ])('says to a(n) %s address that the service is down', async (_which, make) => {
    const { email, browser } = await make()
    service.answerWith(503, login)
    await expect(requestCode({ email }, browser)).rejects.toThrow('Signing in did not finish.')
    await requestCode({ email }, browser)
    service.answerWith(500, (route) => route === 'POST /auth/otp/')
    expect(await signInWithCode({ email, code: '123456' }, browser)).toEqual({
      kind: 'refused',
      why: 'service-unavailable',
    })
  })

  it.each([
    ['known', newAccount],
    ['unknown', async () => ({ email: newEmail(), browser: newBrowser() })],
  ])(
    'counts no code and no guess of a(n) %s address that an outage of the service ended',
    async (_which, make) => {
      const { email, browser } = await make()
      const typing = (route: string) => route === 'POST /auth/otp/'
      const outage = async () => {
        service.answerWith(503, login)
        await expect(requestCode({ email }, browser)).rejects.toThrow('Signing in did not finish.')
      }
      for (let tries = 0; tries < 7; tries++) await outage()
      // A late answer is one too.
      service.answerWith(503, login, 1, minimumDurationMs + 200)
      await inRealTime(() => requestCode({ email }, browser))
      await expect.poll(() => codeDeliveryStatus({ email }, browser)).not.toBeNull()
      await prisma().rateLimit.deleteMany({ where: { key: { startsWith: 'code-pause' } } })
      await requestCode({ email }, browser)
      const guess = async (code: string) => {
        const outcome = await signInWithCode({ email, code }, browser)
        return outcome.kind === 'refused' ? outcome.why : outcome.kind
      }
      const counts = () =>
        prisma().rateLimit.findMany({ where: { key: { startsWith: 'guess-' } }, orderBy: { key: 'asc' } })
      const before = await counts()
      for (let tries = 0; tries < 7; tries++) {
        service.answerWith(503, typing)
        expect(await guess('000000')).toBe('service-unavailable')
      }
      const spent = (rows: typeof before) => rows.reduce((sum, { points }) => sum + points, 0)
      expect(spent(await counts())).toBe(spent(before))
      // A guess whose answer was lost may have been looked at.
      service.loseAnswer(typing, 1)
      for (let tries = 0; tries < 5; tries++) await guess('000000')
      expect(await guess('000000')).toBe('code-used-up')
    },
  )

  it('looks at no code after five wrong ones, not even at the right one, until a new code was asked for', async () => {
    const { email, browser } = await newAccount()
    await requestCode({ email }, browser)
    const [code = ''] = await service.codes(email)
    const asked = service.seen.length
    const guess = (typed: string) => signInWithCode({ email, code: typed }, browser)
    const wrong = await Promise.all(Array.from({ length: 5 }, () => guess('000000')))
    expect(wrong).toEqual(Array(5).fill({ kind: 'refused', why: 'code-refused' }))
    expect(service.seen.length).toBeGreaterThan(asked)
    const seen = service.seen.length
    expect(await guess(code)).toEqual({ kind: 'refused', why: 'code-used-up' })
    expect(service.seen.length).toBe(seen)
    await prisma().rateLimit.deleteMany({ where: { key: { startsWith: 'code-pause' } } })
    await requestCode({ email }, browser)
    expect(await guess((await service.codes(email)).at(-1) ?? '')).toMatchObject({ kind: 'signed-in' })
  })

  it.each([
    ['known', async () => (await newAccount()).email],
    ['unknown', async () => newEmail()],
  ])(
    'shows a(n) %s address on the waiting page that the service did not send the code after all',
    async (_kind, make) => {
      const email = await make()
      const browser = newBrowser()
      service.answerWith(503, login, 1, minimumDurationMs + 200)
      expect(await inRealTime(() => requestCode({ email }, browser))).toMatchObject({ resendInSeconds: 30 })
      await expect.poll(() => codeDeliveryStatus({ email }, browser)).toBe('service-unavailable')
      expect(await codeDeliveryStatus({ email }, newBrowser())).toBe(null)
    },
  )

  it('keeps no address in the clear to count it', async () => {
    const { email, browser } = await newAccount()
    await requestCode({ email }, browser)
    expect(await prisma().rateLimit.count({ where: { key: { contains: 'demo.test' } } })).toBe(0)
    expect(await prisma().rateLimit.count({ where: { key: { startsWith: 'code-pause' } } })).toBeGreaterThan(
      0,
    )
  })
})

describe('a code that bounced', () => {
  async function askedIn(browser: ActionContext, email: string) {
    await prisma().rateLimit.deleteMany({ where: { key: { startsWith: 'code-pause' } } })
    await requestCode({ email }, browser)
  }

  it('is shown to a browser that the person has signed in with before, for the latest code only', async () => {
    const { email, browser } = await newAccount()
    await requestCode({ email }, browser)
    const [code = ''] = await service.codes(email)
    await signInWithCode({ email, code }, browser)
    const userUuid = (await findUserByEmail(cleanText(email)))?.userUuid ?? ''
    await askedIn(browser, email)
    expect(await codeDeliveryStatus({ email }, browser)).toEqual(null)
    await recordBounce(userUuid)
    expect(await codeDeliveryStatus({ email }, browser)).toEqual('bounced')
    expect(await codeDeliveryStatus({ email }, newBrowser())).toEqual(null)
    await askedIn(browser, email)
    expect(await codeDeliveryStatus({ email }, browser)).toEqual(null)
    // A bounce of an earlier code is delivered late; then its own, by a clock that is a little slow.
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()
    await recordBounce(userUuid, ago(60))
    expect(await codeDeliveryStatus({ email }, browser)).toEqual(null)
    await recordBounce(userUuid, ago(10))
    expect(await codeDeliveryStatus({ email }, browser)).toEqual('bounced')
  })
})

// These tests may run at the same time: each waits for its answers, and a pause that has begun shows by its seconds.
describe.concurrent('whether a sign-up made an account', () => {
  beforeAll(() => setAnswerWait(true))
  afterAll(() => setAnswerWait(false))

  type Step = 'asks' | 'signs up' | 'guesses'
  const inAnotherCase = (email: string) => email.replace('u', 'U')

  /**
   * The result lists the answers that browsers get one after the other. Each step names its browser by a
   * number, and says if the address is in another case.
   */
  async function reported(email: string, steps: readonly (readonly [number, Step, 'in another case'?])[]) {
    const browsers = steps.map(() => newBrowser())
    const said: unknown[] = []
    for (const [number, step, typed] of steps) {
      const browser = browsers[number] ?? newBrowser()
      const address = typed ? inAnotherCase(email) : email
      const answer = () => {
        if (step === 'asks') return requestCode({ email: address }, browser)
        if (step === 'signs up') return signUp({ email: address, ...anaDemo, wallet: undefined }, browser)
        return signInWithCode({ email: address, code: '000000' }, browser)
      }
      said.push((await timed<unknown>(answer())).outcome)
    }
    return JSON.stringify(said)
      .replaceAll(new RegExp(email, 'gi'), 'EMAIL')
      .replaceAll(/"resendInSeconds":(\d+)/g, (_, seconds) => (seconds === '30' ? 'SENT' : 'WAIT'))
      .replaceAll(/Wait \d+ (minutes|seconds)/g, 'Wait')
  }

  const again = (number: number, step: Step, times: number) =>
    Array.from({ length: times }, () => [number, step] as const)

  it.each<[what: string, steps: Parameters<typeof reported>[1], says: RegExp]>([
    [
      'the pause',
      [
        [0, 'asks'],
        [1, 'signs up'],
        [0, 'asks'],
      ],
      /SENT.*WAIT/,
    ],
    [
      'the pause where it was made',
      [
        [0, 'asks'],
        [0, 'asks'],
        [0, 'signs up'],
        [0, 'asks'],
      ],
      /SENT.*WAIT.*WAIT/,
    ],
    [
      'what strangers may ask for',
      [
        [0, 'asks'],
        [1, 'asks'],
        [2, 'asks'],
        [3, 'signs up'],
        [4, 'asks'],
        [5, 'asks'],
        [6, 'asks'],
      ],
      /Too many codes/,
    ],
    [
      'what may be typed',
      [
        [0, 'asks'],
        [0, 'guesses'],
        [1, 'signs up'],
        [0, 'guesses'],
      ],
      /code-refused.*code-refused/,
    ],
    [
      'how often it may be',
      [[0, 'asks'], ...again(0, 'guesses', 3), [1, 'signs up'], ...again(0, 'guesses', 3)],
      /code-used-up/,
    ],
    [
      'what may be typed after one in another case',
      [
        [0, 'asks'],
        [1, 'signs up', 'in another case'],
        [0, 'guesses'],
        [0, 'guesses', 'in another case'],
      ],
      /code-refused.*code-refused/,
    ],
    [
      'the pause after one in another case',
      [
        [1, 'signs up', 'in another case'],
        [0, 'asks'],
        [0, 'asks', 'in another case'],
        [0, 'asks'],
      ],
      /SENT.*SENT.*WAIT/,
    ],
  ])(
    'is told to nobody by %s',
    async (_what, steps, says) => {
      const [known, unknown] = await Promise.all([
        newAccount().then(({ email }) => reported(email, steps)),
        reported(newEmail(), steps),
      ])
      expect(unknown).toBe(known)
      expect(unknown).toMatch(says)
    },
    60_000,
  )
})

describe('signing up', () => {
  it('answers an address that has an account like a new one, and changes nothing', async () => {
    const { email, browser } = await newAccount()
    const before = await findUserByEmail(cleanText(email))
    const [[again, fresh], late] = await inMeasuredTime(
      async () =>
        [
          await timed(signUp({ email, ...anaDemo, firstName: 'Mallory' }, browser)),
          await timed(signUp({ email: newEmail(), ...anaDemo }, browser)),
        ] as const,
    )
    expect(again.outcome).toEqual({ email, wallet: false })
    expect(Math.abs(again.ms - fresh.ms)).toBeLessThan(500 + late)
    expect(await findUserByEmail(cleanText(email))).toEqual(before)
    expect(await prisma().person.findFirst({ where: { firstName: 'Mallory' } })).toBeNull()
  })

  it('is refused while it is closed, also through its action, before anybody is asked', async () => {
    const admin = callerWith('admin')
    await changeSettings(admin, { publicSignUp: false }, newBrowser())
    try {
      const [email, browser, asked] = [newEmail(), newBrowser(), service.seen.length]
      const title = 'Accounts are not opened here.'
      await expect(signUp({ email, ...anaDemo }, browser)).rejects.toMatchObject({ message: title })
      const request: ActionRequest = {
        headers: new Headers({ origin: env().publicUrl.origin }),
        caller: null,
        settingUp: null,
        lastCallerId: null,
        input: { email, ...anaDemo },
        language: 'en',
        onDenied: async () => undefined,
      }
      const perform = (_: Caller | null, form: z.output<typeof SignUpSchema>, context: ActionContext) =>
        signUp(form, context)
      const ask = () => runAction([SignUpSchema, 'anyone', perform], request, browser)
      expect(await ask()).toMatchObject({ kind: 'refused', title })
      expect(service.seen.length).toBe(asked)
      expect(await findUserByEmail(cleanText(email))).toBeNull()
      await changeSettings(admin, { publicSignUp: true }, browser)
      expect(await ask()).toMatchObject({ kind: 'done' })
    } finally {
      if (!(await readSettings()).publicSignUp)
        await changeSettings(admin, { publicSignUp: true }, newBrowser())
    }
  })

  it('stores whom the service made after a short outage of the database, and logs the uuid after a longer one', async () => {
    const outage = (failures: number) =>
      pool().query(`
        CREATE SEQUENCE outages;
        CREATE FUNCTION be_down() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('outages') <= ${failures} THEN RAISE EXCEPTION 'down' USING ERRCODE = '53100'; END IF;
          RETURN NEW;
        END $$;
        CREATE TRIGGER be_down BEFORE INSERT ON sign_up FOR EACH ROW EXECUTE FUNCTION be_down()`)
    const end = () => pool().query('DROP FUNCTION be_down() CASCADE; DROP SEQUENCE outages')
    await outage(2)
    await expect(newAccount())
      .resolves.toMatchObject({ userUuid: expect.any(String) })
      .finally(end)
    await outage(1_000)
    const log = captureLog()
    const email = newEmail()
    await expect(newAccount(email)).rejects.toThrow('down').finally(end)
    log.stop()
    const users = z.array(z.object({ uuid: z.string(), email: z.string() }))
    const made = users.parse(await service.control('/users')).find((user) => user.email === email)
    expect(log.lines).toMatchObject([{ level: 'error', component: 'sign-in', userUuid: made?.uuid }])
  })

  it('refuses a country that the service does not name', async () => {
    await expect(signUp({ email: newEmail(), ...anaDemo, country: 'KP' }, newBrowser())).rejects.toThrow(
      InvalidInput,
    )
  })

  it.each([
    [400, 'The account was not created.'],
    [503, 'The account may have been created all the same.'],
  ])('has words for a service that answers %s', async (status, title) => {
    service.answerWith(status, (route) => route === 'POST /user')
    await expect(signUp({ email: newEmail(), ...anaDemo }, newBrowser())).rejects.toMatchObject({
      message: title,
    })
  })
})
