import { expect, test } from 'vitest'
import { passkeyFailure } from './ask-passkey.ts'

const failed = (name: string) => Object.assign(new Error('as the browser says'), { name })
const [fast, slow] = [40, 8_000]

test.each([
  ['make', 'NotAllowedError', slow, 'No passkey was made', /declined.*time ran out.*PIN.*U2F/],
  ['make', 'NotAllowedError', fast, 'refused at once', /PIN.*U2F/],
  ['make', 'ConstraintError', slow, 'cannot keep a passkey', /PIN.*U2F/],
  ['make', 'NotSupportedError', fast, 'too old', /security key.*phone/],
  ['make', 'InvalidStateError', slow, 'has a passkey for you already', /Use that one/],
  ['make', 'SecurityError', fast, 'cannot use passkeys', /HTTPS/],
  ['make', 'AbortError', slow, 'took the place', /Try again/],
  ['make', 'UnknownError', slow, 'no answer that could be used', /Try again/],
  ['sign', 'NotAllowedError', slow, 'No passkey was used', /declined.*time ran out.*no passkey.*PIN/],
  ['sign', 'NotAllowedError', fast, 'refused at once', /no passkey.*PIN/],
  ['sign', 'InvalidStateError', slow, 'no answer that could be used', /Try again/],
  ['sign', 'SecurityError', fast, 'cannot use passkeys', /HTTPS/],
] as const)('to %s: %s after %s ms', (purpose, name, tookMs, title, next) => {
  const words = passkeyFailure(purpose, failed(name), tookMs)
  expect(words.title).toContain(title)
  expect(words.next).toMatch(next)
  if (tookMs < 1_000) expect(words.next).not.toContain('declined')
})

test('a value that is no error means an answer that could not be used', () => {
  expect(passkeyFailure('make', 'no', slow).title).toContain('no answer that could be used')
})
