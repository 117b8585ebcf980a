import { expect, it } from 'vitest'
import { isSigned, sign } from './digests-and-seals.ts'

const key = (id: string, byte: number) => ({ id, bytes: Buffer.alloc(32, byte) })

it('a signature is valid only under its key, and for its purpose and text', () => {
  const signed = sign([key('k2', 2), key('k1', 1)], 'heads', 'a text')
  expect(signed.keyId).toBe('k2')
  const keys = [key('k3', 3), key('k2', 2)]
  expect(isSigned(keys, 'heads', 'a text', signed)).toBe(true)
  expect(isSigned(keys, 'heads', 'another text', signed)).toBe(false)
  expect(isSigned(keys, 'tails', 'a text', signed)).toBe(false)
  expect(isSigned([key('k2', 9)], 'heads', 'a text', signed)).toBe(false)
  expect(isSigned(keys, 'heads', 'a text', { ...signed, signature: 'ab' })).toBe(false)
  expect(isSigned([key('k1', 1)], 'heads', 'a text', signed)).toBeNull()
})
