import { expect, test } from 'vitest'
import type { SameReason } from '../rules/decide-repeat.ts'
import { fromStoredReason, type StoredReason } from './event.ts'

test.each<[stored: StoredReason, read: SameReason]>([
  [
    { kind: 'ladder', secondsAfter: 66, from: 2, retries: 1 },
    { kind: 'retry', secondsAfter: 66, from: 2, retries: 1 },
  ],
  [
    { kind: 'happened-again', secondsAfter: 70_000, because: 'window-over' },
    { kind: 'happened-again', secondsAfter: 70_000, because: 'after-retry-window' },
  ],
  [
    { kind: 'happened-again', secondsAfter: 500, because: 'another-between' },
    { kind: 'happened-again', secondsAfter: 500, because: 'other-event-between' },
  ],
  [
    { kind: 'happened-again', secondsAfter: 20, because: 'both-endpoints' },
    { kind: 'happened-again', secondsAfter: 20, because: 'repeated-by-two-endpoints' },
  ],
  [
    { kind: 'happened-again', secondsAfter: 20, because: 'younger-endpoint' },
    { kind: 'happened-again', secondsAfter: 20, because: 'endpoint-created-later' },
  ],
])('reads %o, as older rules wrote it, in the words of today', (stored, read) => {
  expect(fromStoredReason(stored)).toEqual(read)
})

test.each<SameReason>([
  { kind: 'first' },
  { kind: 'other-endpoint', secondsAfter: 1 },
  { kind: 'unsure-answer', secondsAfter: 4 },
  { kind: 'repeated', secondsAfter: 1 },
  { kind: 'retry', secondsAfter: 66, from: 2, retries: 1 },
  { kind: 'retry', secondsAfter: 66, from: 2, retries: 1, undecided: true },
  { kind: 'happened-again', secondsAfter: 20, because: 'other-event-between' },
])('leaves %o as it is', (reason) => {
  expect(fromStoredReason(reason)).toEqual(reason)
})
