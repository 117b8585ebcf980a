import fc from 'fast-check'
import { SiweMessage } from 'siwe'
import { describe, expect, it } from 'vitest'
import { serviceSchema } from '#lib/platform/env/web-address.ts'
import { findSiweProblem, loginUri, type SiweParts, writeSiweMessage } from './wallets.ts'

const parts: SiweParts = {
  domain: 'sandbox.example.com',
  address: '0x26D0bFaa7de6f4D5A8f06bd2c7B0f35B3d708932',
  statement: 'Sign in. Nothing is paid, nothing is moved.',
  uri: 'https://sandbox.example.com/onboarding/auth/login',
  chainId: 137,
  nonce: 'abcdefgh12345678',
  issuedAt: '2026-01-31T12:00:00.000Z',
  expirationTime: '2026-01-31T15:00:00.000Z',
}

describe('writeSiweMessage', () => {
  it('writes the lines of §5.2 in their order', () => {
    expect(writeSiweMessage(parts)).toBe(`sandbox.example.com wants you to sign in with your Ethereum account:
0x26D0bFaa7de6f4D5A8f06bd2c7B0f35B3d708932

Sign in. Nothing is paid, nothing is moved.

URI: https://sandbox.example.com/onboarding/auth/login
Version: 1
Chain ID: 137
Nonce: abcdefgh12345678
Issued At: 2026-01-31T12:00:00.000Z
Expiration Time: 2026-01-31T15:00:00.000Z`)
  })

  it('is read back by an EIP-4361 parser, part by part', () => {
    const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
    expect(new SiweMessage(writeSiweMessage({ ...parts, address }))).toMatchObject({
      ...parts,
      address,
      version: '1',
    })
  })

  it.each<Partial<SiweParts>>([
    { domain: 'localhost:4010', uri: 'http://localhost:4010/onboarding/auth/login' },
    { domain: 'localhost', uri: 'http://localhost:4010/onboarding/auth/login' },
    { domain: 'api_v2.example.com', uri: 'https://api_v2.example.com/auth/login' },
    { domain: '[::1]:4010', uri: 'http://[::1]:4010/auth/login' },
    { issuedAt: '2026-01-31T12:00:00+01:00' },
  ])('takes %j', (change) => {
    expect(findSiweProblem({ ...parts, ...change })).toBeNull()
  })

  it.each<[keyof SiweParts, string | number]>([
    ['domain', ''],
    ['domain', 'https://sandbox.example.com'],
    ['domain', 'evil.example.com\nfoo'],
    ['address', '0x26D0'],
    ['address', `${parts.address}\n`],
    ['statement', ''],
    ['statement', 'two\nlines'],
    ['statement', '100 % safe'],
    ['statement', 'a "quoted" word'],
    ['statement', "it's"],
    ['statement', 'naïve'],
    ['uri', 'https://other.example.com/auth/login'],
    ['uri', 'https://sandbox.example.com.evil.example/auth/login'],
    ['uri', 'ftp://sandbox.example.com/'],
    ['uri', 'https://sandbox.example.com/a b'],
    ['uri', 'no address'],
    ['chainId', 0],
    ['chainId', 1.5],
    ['nonce', 'short'],
    ['nonce', '3f2c1b1e-7a44-4c43-9a4f-1d2c3b4a5968'],
    ['issuedAt', 'yesterday'],
    ['issuedAt', '2026-01-31'],
    ['expirationTime', '2026-13-31T12:00:00Z'],
    ['expirationTime', '2026-01-31T12:00:00.000Z'],
  ])('refuses %s %j by name', (part, value) => {
    const changed = { ...parts, [part]: value }
    expect(findSiweProblem(changed)?.part).toBe(part)
    expect(() => writeSiweMessage(changed)).toThrow(part)
  })
})

describe('each SERVICE_BASE_URL that the start takes', () => {
  const signed = (text: string) => {
    const base = new URL(text)
    const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
    return writeSiweMessage({ ...parts, address, domain: base.host, uri: loginUri(base) })
  }

  it.each([
    'https://api_v2.example.com',
    'https://api.example.com/',
    'https://API.example.com:8443/Onboarding//',
    'https://api.example.com./v1.2/~a/(x)/b@c:d;e=f,g+h!i$j&k*l',
    "https://api.example.com/o'brien/%7Cy/a b/\u00e4",
    'https://b\u00fccher.example/x',
    'http://localhost:4010/onboarding',
    'http://127.0.0.1:4010',
    'http://[::1]:4010/x',
  ])('may be signed by a wallet: %s', (text) => {
    expect(serviceSchema.parse(text)).toBe(text)
    const base = new URL(text)
    expect(new SiweMessage(signed(text))).toMatchObject({ domain: base.host, uri: loginUri(base) })
  })

  it('may be signed by a wallet, or is refused at the start', () => {
    const sign = fc.constantFrom(
      ...Array.from({ length: 95 }, (_, code) => String.fromCharCode(code + 32)),
      '\u00e9',
    )
    const word = fc.array(sign, { maxLength: 6 }).map((signs) => signs.join(''))
    fc.assert(
      fc.property(word, word, (host, path) => {
        const text = `https://a${host}.example.com/${path}`
        if (serviceSchema.safeParse(text).success) expect(signed(text)).toContain('URI: ')
      }),
      { numRuns: 2_000 },
    )
  })
})
