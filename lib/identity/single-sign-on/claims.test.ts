import { expect, test } from 'vitest'
import { ClaimsSchema, readClaims } from './claims.ts'

const claims = (given: object) => ClaimsSchema.parse({ iss: 'https://login.example.com', sub: '1', ...given })

test.each([
  'a@demo.test,b@demo.test',
  'a@demo.test b@demo.test',
  'Ana <a@demo.test>',
  '"a@demo.test"@demo.test',
])('the claim email holds one address, or counts as not sent: %s', (email) => {
  expect(claims({ email }).email).toBeUndefined()
  expect(claims({ email: 'ana@demo.test' }).email).toBe('ana@demo.test')
})

test.each([
  'Kim\nhttps://evil.example',
  'Kim\u2028now',
  'Kim\u0085now',
  'Kim\ud83d',
  'Kim\u202eevE',
  '\u200b\u3164',
])('the claim name is one visible line, or counts as not sent: %j', (name) => {
  expect(claims({ name }).name).toBeUndefined()
  expect(claims({ name: 'Kim Löwe 🦊' }).name).toBe('Kim Löwe 🦊')
})

test('half a character names neither a person nor a session', () => {
  expect(ClaimsSchema.safeParse({ iss: 'https://login.example.com', sub: '1\udfff' }).success).toBe(false)
  expect(claims({ sid: '1\ud83d' }).sid).toBeUndefined()
  expect(claims({ sid: '1🦊' }).sid).toBe('1🦊')
})

const [boss, mallory] = ['boss@corp.example', 'mallory@mail.example']
const [yes, no] = [{ email_verified: true }, { email_verified: false }]

test.each([
  { token: { email: boss }, userInfo: { email: mallory, ...yes }, gives: { email: boss } },
  { token: { email: boss, ...no }, userInfo: { email: mallory, ...yes }, gives: { email: boss, ...no } },
  { token: { email: boss, ...yes }, userInfo: { email: mallory, ...no }, gives: { email: boss, ...yes } },
  { token: { email: boss }, userInfo: { ...yes }, gives: { email: boss } },
  { token: { ...yes }, userInfo: { email: mallory }, gives: { email: mallory } },
  { token: { ...yes }, userInfo: { email: mallory, ...no }, gives: { email: mallory, ...no } },
  { token: { ...no }, userInfo: { email: boss, ...yes }, gives: { email: boss, ...yes } },
  { token: { email: null, ...yes }, userInfo: { email: mallory }, gives: { email: mallory } },
  { token: { email: 'no address', ...yes }, userInfo: { email: boss }, gives: { email: boss } },
  { token: {}, userInfo: { email: boss, ...yes }, gives: { email: boss, ...yes } },
  { token: { email: boss, ...yes }, userInfo: {}, gives: { email: boss, ...yes } },
  { token: { email: boss }, userInfo: { email: boss, ...yes }, gives: { email: boss, ...yes } },
  {
    token: { email: boss },
    userInfo: { email: 'Boss@Corp.EXAMPLE', ...yes },
    gives: { email: boss, ...yes },
  },
  { token: { email: boss, ...yes }, userInfo: { email: boss, ...no }, gives: { email: boss, ...yes } },
  { token: { email: boss, ...no }, userInfo: { email: boss, ...no }, gives: { email: boss, ...no } },
  { token: { email: boss }, userInfo: { email: boss, email_verified: 'true' }, gives: { email: boss } },
  { token: { ...yes }, userInfo: { ...yes }, gives: {} },
])('of $token and $userInfo, an address is verified by the answer that names it', (row) => {
  const { email, email_verified } = readClaims(
    { iss: 'https://login.example.com', sub: '1', ...row.token },
    row.userInfo,
  )
  expect({ email, email_verified }).toEqual({ email: undefined, email_verified: undefined, ...row.gives })
})

test.each([undefined, null, '', ' ', 5])(
  'a name of %j in the token leaves it to the other answer',
  (name) => {
    const token = { iss: 'https://login.example.com', sub: '1', iat: 5, name }
    const other = { name: 'Kim', sub: '1', auth_time: 7, iat: 9 }
    expect(readClaims(token, other)).toMatchObject({ name: 'Kim', iat: 5, auth_time: undefined })
    expect(readClaims({ ...token, name: 'Ana' }, other).name).toBe('Ana')
  },
)
