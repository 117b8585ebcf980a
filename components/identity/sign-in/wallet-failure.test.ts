import { expect, test } from 'vitest'
import { readWalletFailure } from './wallet-failure.tsx'

const wrapped = (code: number | string) =>
  new Error('outer', { cause: Object.assign(new Error('inner'), { code }) })

test.each([
  { what: 'a person who took a while to decline', error: { code: 4001 }, tookMs: 3_000, reads: 'declined' },
  { what: 'a refusal deep inside other errors', error: wrapped(4001), tookMs: 3_000, reads: 'declined' },
  { what: 'a refusal faster than anybody reads', error: wrapped(4001), tookMs: 40, reads: 'blocked' },
  { what: 'a refusal of permission at once', error: { code: 4100 }, tookMs: 40, reads: 'blocked' },
  { what: 'a question that is already open', error: wrapped(-32002), tookMs: 40, reads: 'busy' },
  { what: 'an account that was not shared', error: wrapped(4100), tookMs: 3_000, reads: 'unauthorized' },
  { what: 'a wallet that signs no messages', error: wrapped(4200), tookMs: 40, reads: 'unsupported' },
  { what: 'a wallet that knows no such method', error: wrapped(-32601), tookMs: 40, reads: 'unsupported' },
  { what: 'a wallet without a connection', error: wrapped(4900), tookMs: 3_000, reads: 'disconnected' },
  { what: 'a code nobody knows', error: wrapped(-32603), tookMs: 40, reads: 'failed' },
  { what: 'something that is no error', error: 'no', tookMs: 40, reads: 'failed' },
])('reads $what as $reads', ({ error, tookMs, reads }) => {
  expect(readWalletFailure(error, tookMs)).toBe(reads)
})

test('survives an error that was caused by itself', () => {
  const error: { cause?: unknown } = {}
  error.cause = error
  expect(readWalletFailure(error, 5_000)).toBe('failed')
})
