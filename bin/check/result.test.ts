import { expect, test } from 'vitest'
import {
  failedResult,
  formatMessages,
  formatResult,
  isGood,
  passedResult,
  skippedResult,
  sumResults,
  unsteadyResult,
} from './result.ts'

test('counts what passed, and names what failed', () => {
  expect(formatResult(sumResults([passedResult, passedResult]))).toBe('2 passed, 0 failed')
  expect(formatResult(sumResults([passedResult, failedResult('adds (3 is not 2)')]))).toBe(
    '1 passed, 1 failed: adds (3 is not 2)',
  )
})

test('tells the whole message of what failed, and of an error its causes', () => {
  const lost = new Error('timeout expired', { cause: new Error('the host is away') })
  const result = sumResults([failedResult('connects', lost), passedResult, failedResult('reads', 'a\nb')])
  expect(formatResult(result)).toBe('1 passed, 2 failed: connects (Error: timeout expired); reads (a)')
  expect(formatMessages(result)).toMatch(
    /^connects\nError: timeout expired\n[\s\S]*the host is away[\s\S]*\n\nreads\na\nb$/,
  )
})

test('counts all that was skipped, and names the first twenty', () => {
  const many = sumResults(Array.from({ length: 25 }, (_, n) => skippedResult(`page ${n + 1}`)))
  expect(formatResult(many)).toMatch(/^0 passed, 0 failed, 25 skipped: page 1; .*; page 20; and 5 more$/)
})

test('counts and names what was skipped, which is neither passed nor failed', () => {
  const result = sumResults([
    passedResult,
    skippedResult('faults full (needs root to mount)'),
    skippedResult('a page (needs curl)'),
  ])
  expect(formatResult(result)).toBe(
    '1 passed, 0 failed, 2 skipped: faults full (needs root to mount); a page (needs curl)',
  )
})

test('names what passed at the second try, which is not good when there are many', () => {
  const few = sumResults([unsteadyResult('signs in'), passedResult])
  expect(formatResult(few)).toBe('2 passed, 0 failed, 1 at the second try: signs in')
  expect(isGood(few)).toBe(true)
  expect(isGood(sumResults([few, few, few, few]))).toBe(false)
  expect(isGood(failedResult('adds'))).toBe(false)
})
