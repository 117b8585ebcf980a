import { expect, it } from 'vitest'
import { isMended } from './form-fields.ts'

const field = { name: 'email', type: 'text', inputMode: 'email', required: true, validity: { valid: true } }
const refused = { email: ' ana ', kinds: ['a', 'b'] }

it('a different value that the browser finds valid corrects a field', () => {
  expect(isMended({ ...field, value: 'ana@demo.test' }, refused)).toBe(true)
})

it.each([
  ['what was refused, spaces aside', { value: 'ana' }],
  ['what the browser finds wrong, too', { value: 'ana@demo', validity: { valid: false } }],
  ['an address without a host', { value: 'ana@' }],
  ['spaces, where something must stand', { value: '  ' }],
])('%s does not correct it', (_what, more) => {
  expect(isMended({ ...field, ...more }, refused)).toBe(false)
})

it('nothing corrects a field that may be empty', () => {
  expect(isMended({ ...field, required: false, value: '' }, refused)).toBe(true)
})

it('a choice corrects a missing one', () => {
  expect(isMended({ ...field, name: 'kinds', type: 'checkbox', value: 'a' }, refused)).toBe(true)
  expect(isMended({ ...field, name: 'outcome', type: 'radio', value: 'x' }, refused)).toBe(true)
})
