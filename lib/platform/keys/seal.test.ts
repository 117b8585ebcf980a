import crypto from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { configure } from '../../../test/service.ts'
import { seal, unseal } from './seal.ts'

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

it('seals the same text differently each time', () => {
  expect(Buffer.from(seal('text', 'here').bytes).equals(seal('text', 'here').bytes)).toBe(false)
})
