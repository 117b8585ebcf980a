import { afterEach, describe, expect, it } from 'vitest'
import { startTestSandbox } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
afterEach(() => sandbox.stop())

/** The user asks for codes, which differ from each other, and exchanges them. */
async function createReader() {
  const email = 'reader@demo.test'
  const user_uuid = await sandbox.createUser({ email })
  const codes = new Set<string>()
  const ask = async () => (await sandbox.service('POST', '/auth/login', { user_uuid })).status
  return {
    ask,
    async askFor(count: number) {
      while (codes.size < count) {
        expect(await ask()).toBe(204)
        codes.add(await sandbox.lastCode(email))
      }
      return [...codes]
    },
    exchange: async (one_time_password = '') =>
      (await sandbox.service('POST', '/auth/otp/', { user_uuid, one_time_password })).status,
  }
}

describe('older codes', () => {
  it('are dead by default', async () => {
    sandbox = await startTestSandbox()
    const reader = await createReader()
    const [first, second] = await reader.askFor(2)
    expect(await reader.exchange(first)).toBe(401)
    expect(await reader.exchange(second)).toBe(200)
  })

  describe('that stay valid', () => {
    const settings = { SANDBOX_OLDER_CODES: 'valid', SANDBOX_CODES_PER_WINDOW: '100' }

    it('are each used once, in any order', async () => {
      sandbox = await startTestSandbox(settings)
      const reader = await createReader()
      const [first, second, third] = await reader.askFor(3)
      expect(await reader.exchange(second)).toBe(200)
      expect(await reader.exchange(second)).toBe(401)
      expect(await reader.exchange(first)).toBe(200)
      expect(await reader.exchange(third)).toBe(200)
      expect(await reader.exchange(first)).toBe(401)
    })

    it('expire each at its own time', async () => {
      sandbox = await startTestSandbox(settings)
      const reader = await createReader()
      await reader.askFor(1)
      await sandbox.control('POST', '/clock/advance', { seconds: 400 })
      const [first, second] = await reader.askFor(2)
      await sandbox.control('POST', '/clock/advance', { seconds: 300 })
      expect(await reader.exchange(first)).toBe(401)
      expect(await reader.exchange(second)).toBe(200)
    })

    it('all expire after too many wrong guesses; a code sent afterwards has its own count', async () => {
      sandbox = await startTestSandbox({ ...settings, SANDBOX_CODE_GUESSES: '4' })
      const reader = await createReader()
      await reader.askFor(2)
      for (let guess = 0; guess < 3; guess++) expect(await reader.exchange('wrong')).toBe(401)
      const [first, second, third] = await reader.askFor(3)
      expect(await reader.exchange('wrong')).toBe(401)
      expect(await reader.exchange(first)).toBe(401)
      expect(await reader.exchange(second)).toBe(401)
      expect(await reader.exchange(third)).toBe(200)
    })
  })

  it('count simultaneous guesses one by one', async () => {
    sandbox = await startTestSandbox({ SANDBOX_CODE_GUESSES: '10' })
    const reader = await createReader()
    const [code] = await reader.askFor(1)
    const guesses = Array.from({ length: 10 }, () => reader.exchange('wrong'))
    expect(await Promise.all(guesses)).toEqual(guesses.map(() => 401))
    expect(await reader.exchange(code)).toBe(401)
  })
})

describe('the mailbox', () => {
  it('lists the newest last, even while the clock hardly moves', async () => {
    sandbox = await startTestSandbox()
    await sandbox.control('POST', '/clock/speed', { factor: 0.01 })
    const reader = await createReader()
    const codes = await reader.askFor(8)
    const listed = (await sandbox.control('GET', '/mailbox')).body.map(({ code }: { code: string }) => code)
    expect([...new Set(listed)]).toEqual(codes)
  })
})

describe('too many triggers (§7)', () => {
  it.each([
    ['on', /^[1-9]\d*$/],
    ['off', /^none$/],
  ])('answer 429, with Retry-After when that is %s', async (setting, expected) => {
    sandbox = await startTestSandbox({ SANDBOX_RETRY_AFTER: setting, SANDBOX_CODES_PER_WINDOW: '1' })
    const user_uuid = await sandbox.createUser()
    const ask = () => sandbox.service('POST', '/auth/login', { user_uuid })
    expect((await ask()).status).toBe(204)
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after') ?? 'none').toMatch(expected)
    await sandbox.control('POST', '/clock/advance', { seconds: 601 })
    expect((await ask()).status).toBe(204)
  })
})
