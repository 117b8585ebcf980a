import { expect, test } from 'vitest'
import { areResultsGone } from './replay-results.tsx'

const all = { start: '0', onlyFailed: false }

test.each([
  ['whose results are there', { total: 2, failed: 1 }, [{}, {}], all, false],
  ['whose results are not kept', { total: 2, failed: 1 }, [], all, true],
  ['without anything to send', { total: 0, failed: 0 }, [], all, false],
  ['of which nothing failed', { total: 2, failed: 0 }, [], { start: '0', onlyFailed: true }, false],
  ['past its last page', { total: 2, failed: 1 }, [], { start: '7', onlyFailed: false }, false],
])('knows whether results of a replay are gone: %s', (_which, replay, rows, asked, gone) => {
  expect(areResultsGone(replay, rows, asked)).toBe(gone)
})
