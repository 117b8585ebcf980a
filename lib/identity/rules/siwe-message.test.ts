import { SiweMessage } from 'siwe'
import { describe, expect, it } from 'vitest'
import { findSiweProblem, type SiweParts, writeSiweMessage } from './wallets.ts'

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
