import { randomBytes } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRawSandbox } from '../test/raw-sandbox.ts'

const wallet = privateKeyToAccount(generatePrivateKey())
let sandbox: Awaited<ReturnType<typeof startRawSandbox>>
beforeAll(async () => {
  sandbox = await startRawSandbox()
  await sandbox.createUser({ target_address: wallet.address })
})
afterAll(() => sandbox.stop())

describe('a sign-in message, well signed by the right wallet (§5.2)', () => {
  const lines = (nonce: string) => {
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    return [
      `localhost:${sandbox.port} wants you to sign in with your Ethereum account:`,
      wallet.address,
      '',
      'Sign in.',
      '',
      `URI: ${sandbox.publicUrl}/auth/login`,
      'Version: 1',
      'Chain ID: 137',
      `Nonce: ${nonce}`,
      `Issued At: ${at(-1)}`,
      `Expiration Time: ${at(180)}`,
    ].join('\n')
  }
  const signed = async (message: string) => {
    const body = { message, signature: await wallet.signMessage({ message }) }
    return sandbox.write({ path: '/onboarding/auth/login', body })
  }
  const uriLine = /^URI: .*$/m

  it.each<[string, (message: string) => string]>([
    ['a line after the last', (message) => `${message}\nNote: x`],
    ['a line break after the last line', (message) => `${message}\n`],
    ['a blank after the last line', (message) => `${message} `],
    ['a line break before the first line', (message) => `\n${message}`],
    ['carriage returns', (message) => message.replaceAll('\n', '\r\n')],
    ['one carriage return', (message) => message.replace('Version: 1\n', 'Version: 1\r\n')],
    [
      'a second URI line in its statement',
      (message) => message.replace('Sign in.', 'Sign in.\nURI: https://elsewhere.example'),
    ],
    [
      'a whole second head in its statement',
      (message) => message.replace('Sign in.', `Hi.\n\n${message.split('\n').slice(5).join('\n')}`),
    ],
    ['a line separator in its statement', (message) => message.replace('Sign in.', 'Sign\u2028in.')],
    ['a paragraph separator in its statement', (message) => message.replace('Sign in.', 'Sign\u2029URI: x')],
    ['a next-line character in its statement', (message) => message.replace('Sign in.', 'Sign\u0085in.')],
    ['a tabulator in its statement', (message) => message.replace('Sign in.', 'Sign\tin.')],
    ['letters that only look right', (message) => message.replace('URI:', 'UR\u0406:')],
    ['text that runs the other way', (message) => message.replace('Sign in.', '\u202eSign in.')],
    ['two URI lines', (message) => message.replace(uriLine, (line) => `${line}\n${line}`)],
    [
      'two nonces',
      (message) => message.replace(/^Nonce: .*$/m, (line) => `${line}\nNonce: 12345678901234567`),
    ],
    [
      'another address in its second URI line',
      (message) => message.replace(uriLine, (line) => `${line}\nURI: https://elsewhere.example`),
    ],
    ['no URI line', (message) => message.replace(/^URI: .*\n/m, '')],
    ['a login URL with a slash at its end', (message) => message.replace(uriLine, (line) => `${line}/`)],
    [
      'a login URL with a user name',
      (message) => message.replace(uriLine, (line) => line.replace('://', '://user@')),
    ],
    [
      'a login URL in capital letters',
      (message) => message.replace(uriLine, (line) => line.replace('localhost', 'LOCALHOST')),
    ],
    [
      'an address in small letters',
      (message) => message.replace(wallet.address, wallet.address.toLowerCase()),
    ],
    [
      'another address',
      (message) => message.replace(wallet.address, '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'),
    ],
    ['another domain', (message) => message.replace(/^localhost:\d+/, 'elsewhere.example')],
    ['a chain id in hexadecimal', (message) => message.replace('137', '0x89')],
    ['a chain id with a sign', (message) => message.replace('137', '+137')],
    ['another version', (message) => message.replace('Version: 1', 'Version: 2')],
    [
      'a nonce of 9,000 characters',
      (message) => message.replace(/^Nonce: .*$/m, `Nonce: ${randomBytes(4_500).toString('hex')}`),
    ],
    ['a time without a zone', (message) => message.replace(/Z$/, '')],
    ['a day that is none', (message) => message.replace(/\d{4}-\d\d-\d\dT(\S+)$/, '2099-02-30T$1')],
    ['a scheme before its domain', (message) => `https://${message}`],
  ])('with %s is refused with 401', async (_case, forge) => {
    const message = lines(randomBytes(12).toString('hex'))
    expect(forge(message)).not.toBe(message)
    await sandbox.expectRefusal(401, await signed(forge(message)))
  })

  it('signs in when nothing is forged', async () => {
    expect((await sandbox.sendRaw(await signed(lines(randomBytes(12).toString('hex'))))).status).toBe(200)
  })

  it.each([
    '0x',
    '0x00',
    `0x${'0'.repeat(130)}`,
    `0x${'f'.repeat(130)}`,
    'x'.repeat(132),
    `0x${'1'.repeat(9_000)}`,
  ])('is refused with 401 when its signature is %.12s…', (signature) => {
    const body = { message: lines(randomBytes(12).toString('hex')), signature }
    return sandbox.expectRefusal(401, sandbox.write({ path: '/onboarding/auth/login', body }))
  })
})
