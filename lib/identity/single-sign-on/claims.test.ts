import { expect, test } from 'vitest'
import { ClaimsSchema } from './claims.ts'

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

test.each(['Kim\nhttps://evil.example', 'Kim\u2028now', 'Kim\u0085now'])(
  'the claim name is one line, or counts as not sent: %j',
  (name) => {
    expect(claims({ name }).name).toBeUndefined()
    expect(claims({ name: 'Kim Löwe' }).name).toBe('Kim Löwe')
  },
)
