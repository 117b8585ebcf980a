import crypto from 'node:crypto'
import { beforeAll, expect, it, test } from 'vitest'
import { configure } from '../../../test/service.ts'
import { setKeyAgreement, writingKey } from './agree-on-keys.ts'
import { digestSecret, seal, secretDigester, unseal } from './digests-and-seals.ts'

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

const keys = ['new', 'old'].map((id) => `${id}:${crypto.randomBytes(32).toString('base64')}`)
beforeAll(() => configure({ RAMPART_KEYS: keys.join(',') }))

it('opens what it sealed only in its own place, and never after one bit was changed', () => {
  const sealed = seal('a session id', 'session 1')
  expect(sealed.keyId).toBe('new')
  expect(Buffer.from(sealed.bytes).toString('latin1')).not.toContain('a session id')
  expect(unseal(sealed, 'session 1')).toBe('a session id')
  expect(unseal(sealed, 'session 2')).toBeNull()
  expect(unseal({ ...sealed, keyId: 'old' }, 'session 1')).toBeNull()
  expect(unseal({ ...sealed, keyId: 'gone' }, 'session 1')).toBeNull()
  for (let at = 0; at < sealed.bytes.length; at++) {
    const bytes = new Uint8Array(sealed.bytes)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    expect(unseal({ ...sealed, bytes }, 'session 1')).toBeNull()
  }
})

it('seals and digests nothing once a check has found every key to be wrong', () => {
  const refusal = 'The key of this server (new, old) is not the one of this database.'
  setKeyAgreement({ writes: null, moves: false })
  expect(() => seal('an invitation', 'mail 1')).toThrow(refusal)
  expect(() => digestSecret('whsec-1')).toThrow(refusal)
  // Sign-in goes on.
  expect(unseal(seal('a session id', 'session 1', writingKey()), 'session 1')).toBe('a session id')
  setKeyAgreement({ writes: 'old', moves: false })
  expect([seal('text', 'here').keyId, digestSecret('whsec-1').keyId]).toEqual(['old', 'old'])
  globalThis.rampartKeyAgreement = undefined
})

it('seals the same text differently each time', () => {
  expect(Buffer.from(seal('text', 'here').bytes).equals(seal('text', 'here').bytes)).toBe(false)
})
