import { expect, test } from 'vitest'
import { secretDigester } from './secret-digest.ts'

const key = (id: string, byte: number) => ({ id, bytes: Buffer.alloc(32, byte) })
const bytes = (text: string) => Buffer.from(text)

test('a secret matches its own digest and no other', () => {
  const digester = secretDigester([key('k1', 1)])
  const kept = digester.digest('whsec-1')
  expect(kept).toMatchObject({ keyId: 'k1' })
  expect(digester.matches(bytes('whsec-1'), kept)).toBe(true)
  expect(digester.matches(bytes('whsec-2'), kept)).toBe(false)
  expect(digester.matches(bytes(''), kept)).toBe(false)
})

test('a cached match matches again, and nothing else matches because of it', () => {
  const digester = secretDigester([key('k1', 1)])
  const kept = digester.digest('whsec-1')
  const rotated = digester.digest('whsec-2')
  expect([1, 2].map(() => digester.matches(bytes('whsec-1'), kept))).toEqual([true, true])
  expect(digester.matches(bytes('whsec-2'), kept)).toBe(false)
  expect(digester.matches(bytes('whsec-1'), rotated)).toBe(false)
})

test('the newest key writes, and older ones still read', () => {
  const old = secretDigester([key('k1', 1)]).digest('whsec-1')
  const digester = secretDigester([key('k2', 2), key('k1', 1)])
  expect(digester.digest('whsec-1').keyId).toBe('k2')
  expect(digester.matches(bytes('whsec-1'), old)).toBe(true)
})

test('without the key a secret cannot be checked', () => {
  const kept = secretDigester([key('k1', 1)]).digest('whsec-1')
  expect(secretDigester([key('k2', 1)]).matches(bytes('whsec-1'), kept)).toBeNull()
})

test('the digest reveals nothing without the key, and differs from that for another purpose', () => {
  const one = secretDigester([key('k1', 1)])
  const other = secretDigester([key('k1', 2)])
  expect(one.digest('whsec-1').digest.equals(other.digest('whsec-1').digest)).toBe(false)
  expect(one.keyFingerprint('k1')?.equals(other.keyFingerprint('k1') ?? Buffer.alloc(0))).toBe(false)
})
