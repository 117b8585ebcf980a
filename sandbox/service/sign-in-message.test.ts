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

  it.each<[string, Partial<typeof fields>]>([
    ['a domain without the port', { domain: 'localhost' }],
    ['an issue time an hour back', { issuedAt: '2026-11-20T11:00:00.000Z' }],
    ['an issue time slightly ahead', { issuedAt: '2026-11-20T12:04:00.000Z' }],
    [
      'a day of validity, since 2 to 4 hours are only recommended',
      { expirationTime: '2026-11-21T12:00:00.000Z' },
    ],
    ...[
      'Olá, mundo',
      '登录',
      'In "quotes" <and> 100 %',
      '\u05d0\u05d1',
      'a\u0301',
      '😀',
      '👩\u200d💻',
      'نمی\u200cخواهم',
      ' ',
    ].map((statement): [string, Partial<typeof fields>] => [`the statement ${statement}`, { statement }]),
    ['a time with another zone', { issuedAt: '2026-11-20T12:59:00+01:00' }],
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

  it.each<[string, string]>([
    ['no statement', compose().replace('Sign in.\n\n', '\n')],
    ['a Not Before that has come', `${compose()}\nNot Before: 2026-11-20T11:00:00.000Z`],
    ['a Request ID', `${compose()}\nRequest ID: a-1`],
    ['resources', `${compose()}\nResources:\n- https://merchant.example/terms\n- ipfs://Qm`],
  ])('accepts %s', (_case, message) => {
    expect(checkSignInMessage(message, rules).kind).toBe('accepted')
  })

  it.each<[string, string, string, RegExp]>([
    ['nothing', '', 'line 1 (domain)', /wants you to sign in/],
    ['a blank first line', `\n${compose()}`, 'line 1 (domain)', /wants you to sign in/],
    ['another domain', compose({ domain: 'a.example' }), 'line 1 (domain)', /localhost:4010/],
    ['CR LF', compose().replaceAll('\n', '\r\n'), 'line 1 (domain)', /CR LF/],
    ['CR LF in one line', compose().replace('Version: 1', 'Version: 1\r'), 'line 7 (Version)', /CR LF/],
    [
      'a lower-case address',
      compose({ address: fields.address.toLowerCase() }),
      'line 2 (address)',
      /ERC-55/,
    ],
    [
      'an address of other case',
      compose({ address: fields.address.replace('d8dA', 'D8dA') }),
      'line 2 (address)',
      /ERC-55/,
    ],
    ['0X', compose({ address: fields.address.replace('0x', '0X') }), 'line 2 (address)', /40 hexadecimal/],
    ['a short address', compose({ address: '0xd8dA' }), 'line 2 (address)', /40 hexadecimal/],
    ['no blank line after the address', compose().replace('\n\nSign', '\nSign'), 'line 3', /empty/],
    ['a tab in the statement', compose({ statement: 'a\tb' }), 'line 4 (statement)', /plain/],
    [
      'a line separator in the statement',
      compose({ statement: 'a\u2028URI: x' }),
      'line 4 (statement)',
      /plain/,
    ],
    ['an override of direction', compose({ statement: '\u202ea' }), 'line 4 (statement)', /plain/],
    ['an isolate of direction', compose({ statement: '\u2067a' }), 'line 4 (statement)', /plain/],
    ['half a character in the statement', compose({ statement: 'a\ud800' }), 'line 4 (statement)', /plain/],
    ['two lines of statement', compose({ statement: 'a\nb' }), 'line 5', /empty/],
    [
      'two blank lines after the statement',
      compose({ statement: 'a\n' }),
      'line 6 (URI)',
      /begin with "URI: "/,
    ],
    ['no URI', compose().replace(/URI.*\n/, ''), 'line 6 (URI)', /begin with "URI: "/],
    ['another URI', compose({ uri: 'https://a.example/' }), 'line 6 (URI)', /auth\/login/],
    ['Version: 2', compose({ version: '2' }), 'line 7 (Version)', /must be 1/],
    ['a blank behind the version', compose({ version: '1 ' }), 'line 7 (Version)', /must be 1/],
    ['two blanks before the version', compose({ version: ' 1' }), 'line 7 (Version)', /must be 1/],
    [
      'no blank before the version',
      compose().replace('Version: 1', 'Version:1'),
      'line 7 (Version)',
      /begin/,
    ],
    ['Chain-ID', compose().replace('Chain ID', 'Chain-ID'), 'line 8 (Chain ID)', /begin/],
    ['a hexadecimal chain', compose({ chainId: '0x89' }), 'line 8 (Chain ID)', /positive integer/],
    ['nought before the chain', compose({ chainId: '0137' }), 'line 8 (Chain ID)', /positive integer/],
    ['a dashed nonce', compose({ nonce: 'a1b2-c3d4-e5f6' }), 'line 9 (Nonce)', /letters and digits/],
    ['a short nonce', compose({ nonce: 'a1b2c3d' }), 'line 9 (Nonce)', /8 to 128/],
    ['a time without a zone', compose({ issuedAt: '2026-11-20T11:59:00' }), 'line 10 (Issued At)', /zone/],
    [
      'the 31st of November',
      compose({ issuedAt: '2026-11-31T11:59:00Z' }),
      'line 10 (Issued At)',
      /ISO 8601/,
    ],
    ['seconds since 1970', compose({ issuedAt: '1700000000' }), 'line 10 (Issued At)', /ISO 8601/],
    ['no Expiration Time', compose({ expirationTime: '' }), 'line 11 (Expiration Time)', /missing/],
    [
      'an expired message',
      compose({ expirationTime: '2026-11-20T11:59:30Z' }),
      'line 11 (Expiration Time)',
      /2026-11-20T12:00/,
    ],
    ['a line break at the end', `${compose()}\n`, 'line 12', /without a line break/],
    ['a Not Before ahead', `${compose()}\nNot Before: 2026-11-20T13:00:00Z`, 'line 12 (Not Before)', /come/],
    [
      'Request ID before Not Before',
      `${compose()}\nRequest ID: 1\nNot Before: 2026-11-20T11:00:00Z`,
      'line 13',
      /order/,
    ],
    ['a resource without its dash', `${compose()}\nResources:\nhttps://a.example/`, 'line 13', /order/],
    ['a resource that is none', `${compose()}\nResources:\n- terms`, 'line 13 (Resources)', /URI/],
  ])('names line and rule of %s', (_case, message, line, rule) => {
    expect(checkSignInMessage(message, rules)).toEqual({
      kind: 'refused',
      line,
      rule: expect.stringMatching(rule),
    })
  })

  it('refuses more than the longest lifetime where one is set', () => {
    expect(checkSignInMessage(compose(), { ...rules, longestMinutes: 240 }).kind).toBe('accepted')
    expect(checkSignInMessage(compose(), { ...rules, longestMinutes: 180 }).kind).toBe('refused')
  })
})
