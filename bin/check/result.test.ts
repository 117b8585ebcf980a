import { expect, test } from 'vitest'
import { all, failed, formatResult, passed, skipped } from './result.ts'

test('counts what passed and failed, and nothing more when nothing was skipped', () => {
  expect(formatResult(all([passed, passed, failed]))).toBe('2 passed, 1 failed')
})

test('counts all that was skipped, and names the first twenty', () => {
  const many = all(Array.from({ length: 25 }, (_, n) => skipped(`page ${n + 1}`)))
  expect(formatResult(many)).toMatch(/^0 passed, 0 failed, 25 skipped: page 1; .*; page 20; and 5 more$/)
})

test('counts and names what was skipped, which is neither passed nor failed', () => {
  const result = all([passed, skipped('faults full (needs root to mount)'), skipped('a page (needs curl)')])
  expect(formatResult(result)).toBe(
    '1 passed, 0 failed, 2 skipped: faults full (needs root to mount); a page (needs curl)',
  )
})
