import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prisma } from '#lib/platform/db/prisma.ts'
import { newBrowser } from '../../../test/callers.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { newWallet, proveInBrowser } from '../../../test/wallets.ts'
import { readSession } from '../sessions/read-session.ts'
import { type IssuedChallenge, issueChallenge, signInWithWallet } from './sign-in-with-wallet.ts'
import { createThrowAwayAccount } from './sign-up.ts'
import { WalletAccountSchema } from './wallet-challenges.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

async function newWalletUser() {
  const wallet = newWallet()
  const browser = newBrowser()
  await createThrowAwayAccount({ wallet: await proveInBrowser(wallet, browser) }, browser)
  const challenge = () => issueChallenge({ address: wallet.address, chainId: 1 }, browser)
  const sign = async ({ message }: Pick<IssuedChallenge, 'message'>) => ({
    message,
    signature: await wallet.signMessage({ message }),
  })
  return { wallet, browser, challenge, sign }
}

const refused = (why: string) => ({ kind: 'refused', why })

/** The same signature has v in the first bit of s. */
function compact(signature: string): string {
  const first = Number.parseInt(signature.slice(66, 68), 16) | (signature.endsWith('1c') ? 0x80 : 0)
  return `${signature.slice(0, 66)}${first.toString(16).padStart(2, '0')}${signature.slice(68, 130)}`
}

describe('signing in with a wallet', () => {
  it('makes the whole message for the service: host, login address, three hours, a nonce of its own', async () => {
    const { challenge, wallet } = await newWalletUser()
    const [one, other] = [await challenge(), await challenge()]
    expect(one.host).toBe(`localhost:${service.port}`)
    expect(one.message).toMatch(
      new RegExp(
        `^localhost:${service.port} wants you to sign in with your Ethereum account:\n${wallet.address}\n\n[^\n]+\n\n` +
          `URI: ${service.baseUrl}/auth/login\nVersion: 1\nChain ID: 1\nNonce: [A-Za-z0-9]{16,}\nIssued At: \\S+\nExpiration Time: \\S+$`,
      ),
    )
    const time = (name: string) => Date.parse(new RegExp(`^${name}: (.*)$`, 'm').exec(one.message)?.[1] ?? '')
    expect(time('Expiration Time') - time('Issued At')).toBe(3 * 3_600_000)
    expect(one.message).not.toBe(other.message)
  })

  it('opens a session for whom the service names, and writes it down', async () => {
    const { browser, challenge, sign, wallet } = await newWalletUser()
    const outcome = await signInWithWallet(await sign(await challenge()), browser)
    if (outcome.kind !== 'signed-in') throw new Error(outcome.why)
    const caller = await readSession(outcome.token, new Date())
    expect(caller).toMatchObject({
      role: 'end-user',
      memberId: null,
      name: expect.stringMatching(/^Throw-away /),
    })
    const userUuid = caller?.userUuid ?? ''
    expect(await prisma().person.findUnique({ where: { userUuid } })).toMatchObject({
      targetAddress: wallet.address,
    })
    expect(
      await prisma().audit.findFirst({ where: { actor: userUuid, action: 'session.start' } }),
    ).toMatchObject({
      outcome: 'done',
      ip: browser.ip,
    })
  })

  it('accepts a message once, however many requests use it at the same time', async () => {
    const { browser, challenge, sign } = await newWalletUser()
    const signed = await sign(await challenge())
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => signInWithWallet(signed, browser)))
    expect(outcomes.filter(({ kind }) => kind === 'signed-in')).toHaveLength(1)
    expect(outcomes.filter(({ kind }) => kind === 'refused')).toEqual(Array(4).fill(refused('message-used')))
  })

  it('takes no message that was issued to another browser, changed, or made elsewhere', async () => {
    const { browser, challenge, sign } = await newWalletUser()
    const signed = await sign(await challenge())
    const asked = service.seen.length
    expect(await signInWithWallet(signed, newBrowser())).toEqual(refused('message-unknown'))
    expect(await signInWithWallet(signed, { ...browser, browserId: null })).toEqual(
      refused('message-unknown'),
    )
    const changed = await sign({ message: signed.message.replace('Chain ID: 1', 'Chain ID: 5') })
    expect(await signInWithWallet(changed, browser)).toEqual(refused('message-unknown'))
    const foreign = await sign({
      message: signed.message.replace(/Nonce: .*/, 'Nonce: abcdefghijklmnop1234'),
    })
    expect(await signInWithWallet(foreign, browser)).toEqual(refused('message-unknown'))
    expect(service.seen.length).toBe(asked)
    expect(await signInWithWallet(signed, browser)).toMatchObject({ kind: 'signed-in' })
  })

  it('takes no message after its time', async () => {
    const { browser, challenge, sign } = await newWalletUser()
    const signed = await sign(await challenge())
    await prisma().challenge.updateMany({
      where: { message: signed.message },
      data: { expiresAt: new Date() },
    })
    expect(await signInWithWallet(signed, browser)).toEqual(refused('message-expired'))
  })

  it('says that the wallet is the wrong one when another address signed', async () => {
    const { browser, challenge } = await newWalletUser()
    const { message } = await challenge()
    const signature = await newWallet().signMessage({ message })
    expect(await signInWithWallet({ message, signature }, browser)).toEqual(refused('wallet-refused'))
  })

  it('signs nobody in with an address that has no account', async () => {
    const wallet = newWallet()
    const browser = newBrowser()
    const { message } = await issueChallenge({ address: wallet.address, chainId: 1 }, browser)
    const outcome = await signInWithWallet(
      { message, signature: await wallet.signMessage({ message }) },
      browser,
    )
    expect(outcome).toEqual(refused('wallet-refused'))
    expect(
      await prisma().audit.findFirst({ where: { ip: browser.ip, action: 'session.start' } }),
    ).toMatchObject({
      outcome: 'refused',
      actor: null,
    })
  })

  it.each([
    [429, 'service-busy'],
    [503, 'service-unavailable'],
    [400, 'message-refused'],
    [418, 'message-refused'],
    [204, 'service-unavailable'],
  ])('has words for a service that answers %s', async (status, why) => {
    const { browser, challenge, sign } = await newWalletUser()
    service.answerWith(status, (route) => route === 'POST /auth/login')
    expect(await signInWithWallet(await sign(await challenge()), browser)).toEqual(refused(why))
  })

  it('distinguishes a refused API key from a refused signature', async () => {
    const { browser, challenge, sign } = await newWalletUser()
    service.answerWith(401, (route) => route === 'POST /auth/login')
    service.answerWith(401, (route) => route === 'GET /supported/countries')
    expect(await signInWithWallet(await sign(await challenge()), browser)).toEqual(refused('key-refused'))
  })

  it('says of a smart account’s signature what it is, and uses no message up for it', async () => {
    const { browser, challenge, sign } = await newWalletUser()
    const { message } = await challenge()
    const asked = service.seen.length
    const signature = `0x${'00'.repeat(320)}${'6492'.repeat(16)}`
    expect(await signInWithWallet({ message, signature }, browser)).toEqual(refused('smart-account'))
    expect(service.seen.length).toBe(asked)
    expect(await signInWithWallet(await sign({ message }), browser)).toMatchObject({ kind: 'signed-in' })
  })

  it.each<[string, (signature: string) => string]>([
    ['with v = 0 or 1', (text) => `${text.slice(0, -2)}0${text.endsWith('1b') ? 0 : 1}`],
    ['in 64 bytes (EIP-2098)', compact],
    ['without 0x', (text) => text.slice(2)],
    ['in upper case', (text) => text.toUpperCase()],
    ['in upper case after 0x', (text) => `0x${text.slice(2).toUpperCase()}`],
  ])('takes a signature that is spelled %s, and sends the usual spelling', async (_what, respell) => {
    const { browser, challenge, sign } = await newWalletUser()
    const { message, signature } = await sign(await challenge())
    const signed = { message, signature: respell(signature) }
    expect(await signInWithWallet(signed, browser)).toMatchObject({ kind: 'signed-in' })
  })

  it('says of a text that is no signature that nothing was sent, and uses no message up for it', async () => {
    const { browser, challenge, sign } = await newWalletUser()
    const { message } = await challenge()
    const asked = service.seen.length
    for (const signature of ['0x', '', '0x1234', 'undefined'])
      expect(await signInWithWallet({ message, signature }, browser)).toEqual(refused('signature-unreadable'))
    expect(service.seen.length).toBe(asked)
    expect(await signInWithWallet(await sign({ message }), browser)).toMatchObject({ kind: 'signed-in' })
  })

  it('opens no session when the service names a user with another wallet', async () => {
    const { browser, challenge, sign } = await newWalletUser()
    const other = newWallet()
    const signed = await sign(await challenge())
    await prisma().challenge.updateMany({
      where: { message: signed.message },
      data: { address: other.address },
    })
    expect(await signInWithWallet(signed, browser)).toEqual(refused('another-user'))
    expect(await prisma().session.count({ where: { ip: browser.ip } })).toBe(0)
  })

  it.each([
    ['signs in all the same where the directory knows the wallet', null, { kind: 'signed-in' }],
    [
      'opens no session where the directory knows another wallet of the user',
      { targetAddress: newWallet().address },
      refused('another-user'),
    ],
    [
      'opens no session where nobody knows a wallet to compare with',
      { targetAddress: null },
      refused('service-unavailable'),
    ],
  ])('while the profile cannot be read, %s', async (_what, held, outcome) => {
    const { browser, challenge, sign, wallet } = await newWalletUser()
    const where = { targetAddress: wallet.address }
    if (held) await prisma().person.updateMany({ where, data: held })
    service.answerWith(500, (route) => route === 'GET /user', 2)
    expect(await signInWithWallet(await sign(await challenge()), browser)).toMatchObject(outcome)
    const opened = outcome.kind === 'signed-in' ? 1 : 0
    expect(await prisma().session.count({ where: { ip: browser.ip } })).toBe(opened)
  })
})

describe('the address in a form', () => {
  const parse = (address: string) => WalletAccountSchema.safeParse({ address, chainId: '1' }).success
  it('may be in one case or carry its right checksum, and nothing else', () => {
    expect(parse('0x26d0000000000000000000000000000000008932')).toBe(true)
    expect(parse('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe(true)
    expect(parse('0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe(false)
    expect(parse('0x26d0')).toBe(false)
    expect(
      WalletAccountSchema.safeParse({ address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', chainId: '0' })
        .success,
    ).toBe(false)
  })
})
