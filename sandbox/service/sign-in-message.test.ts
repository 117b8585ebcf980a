import { describe, expect, it } from 'vitest'
import { checkSignInMessage } from './sign-in-message.ts'

const now = new Date('2026-11-20T12:00:00Z')
const rules = { publicUrl: 'http://localhost:4010/onboarding', now, longestMinutes: 0 }

const fields = {
  domain: 'localhost:4010',
  address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  statement: 'Sign in.',
  uri: 'http://localhost:4010/onboarding/auth/login',
  version: '1',
  chainId: '137',
  nonce: 'a1B2c3D4e5F6g7H8',
  issuedAt: '2026-11-20T11:59:00.000Z',
  expirationTime: '2026-11-20T15:00:00.000Z',
}

const compose = (changes: Partial<typeof fields> = {}) => {
  const f = { ...fields, ...changes }
  return `${f.domain} wants you to sign in with your Ethereum account:
${f.address}

${f.statement}

URI: ${f.uri}
Version: ${f.version}
Chain ID: ${f.chainId}
Nonce: ${f.nonce}
Issued At: ${f.issuedAt}${f.expirationTime ? `\nExpiration Time: ${f.expirationTime}` : ''}`
}

describe('§5.2, the fields of a sign-in message', () => {
  it('accepts the message that the contract describes', () => {
    expect(checkSignInMessage(compose(), rules)).toEqual({
      kind: 'accepted',
      address: fields.address,
      nonce: fields.nonce,
    })
  })

  it.each([
    ['a domain without the port', { domain: 'localhost' }],
    ['an issue time an hour back', { issuedAt: '2026-11-20T11:00:00.000Z' }],
    ['an issue time slightly ahead', { issuedAt: '2026-11-20T12:04:00.000Z' }],
    [
      'a day of validity, since 2 to 4 hours are only recommended',
      { expirationTime: '2026-11-21T12:00:00.000Z' },
    ],
  ])('accepts %s', (_case, changes) => {
    expect(checkSignInMessage(compose(changes), rules).kind).toBe('accepted')
  })

  it.each([
    ['another domain', { domain: 'dashboard.example' }],
    ['a domain that only begins like ours', { domain: 'localhost:4010.example' }],
    ['another port', { domain: 'localhost:3000' }],
    ['a domain with a scheme', { domain: 'http://localhost:4010' }],
    ['another uri', { uri: 'http://localhost:3000/onboarding/auth/login' }],
    ['a uri on another path', { uri: 'http://localhost:4010/onboarding/auth/otp' }],
    ['a uri with something behind it', { uri: 'http://localhost:4010/onboarding/auth/login?next=x' }],
    ['another version', { version: '2' }],
    ['chain id nought', { chainId: '0' }],
    ['a chain id that is no number', { chainId: 'polygon' }],
    ['a chain id beyond whole numbers', { chainId: '99999999999999999999' }],
    ['a short nonce', { nonce: 'abc123' }],
    ['a nonce with dashes', { nonce: 'a1b2-c3d4-e5f6' }],
    ['an address without its checksum', { address: fields.address.toLowerCase() }],
    ['an issue time far ahead', { issuedAt: '2026-11-20T12:06:00.000Z' }],
    ['an issue time that is none', { issuedAt: 'yesterday' }],
    ['no expiration time', { expirationTime: '' }],
    ['an expiration time in the past', { expirationTime: '2026-11-20T11:59:59.000Z' }],
    ['an expiration at this very moment', { expirationTime: '2026-11-20T12:00:00.000Z' }],
    [
      'an expiration before the issue',
      { issuedAt: '2026-11-20T12:04:00Z', expirationTime: '2026-11-20T12:03:00Z' },
    ],
    [
      'a statement that forges a line',
      { statement: 'Hi.\n\nURI: http://localhost:4010/onboarding/auth/login' },
    ],
  ])('refuses %s', (_case, changes) => {
    expect(checkSignInMessage(compose(changes), rules).kind).toBe('refused')
  })

  it.each([
    ['an empty message', ''],
    ['plain text', 'please let me in'],
    ['a doubled line', compose().replace('Version: 1', 'Version: 1\nVersion: 1')],
    ['lines in another order', compose().replace('Version: 1\nChain ID: 137', 'Chain ID: 137\nVersion: 1')],
    ['something after the end', `${compose()}\nURI: http://evil.example`],
    ['carriage returns', compose().replaceAll('\n', '\r\n')],
    ['a Not Before that lies ahead', `${compose()}\nNot Before: 2026-11-20T13:00:00.000Z`],
  ])('refuses %s', (_case, message) => {
    expect(checkSignInMessage(message, rules).kind).toBe('refused')
  })

  it('refuses more than the longest lifetime where one is set', () => {
    expect(checkSignInMessage(compose(), { ...rules, longestMinutes: 240 }).kind).toBe('accepted')
    expect(checkSignInMessage(compose(), { ...rules, longestMinutes: 180 }).kind).toBe('refused')
  })
})
