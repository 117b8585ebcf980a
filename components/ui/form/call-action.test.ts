import { UnrecognizedActionError } from 'next/dist/client/components/unrecognized-action-error.js'
import { afterEach, expect, test, vi } from 'vitest'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { callAction } from './call-action.ts'

afterEach(() => vi.unstubAllGlobals())

const chunkGone = Object.assign(new Error('Failed to load chunk'), { name: 'ChunkLoadError' })
const fails =
  (error: unknown): Action<never> =>
  () =>
    Promise.reject(error)

test.each([
  { error: new UnrecognizedActionError('not found'), online: true, why: 'older-page' },
  { error: chunkGone, online: true, why: 'older-page' },
  { error: chunkGone, online: false, why: 'no-answer' },
  { error: new TypeError('Failed to fetch'), online: true, why: 'no-answer' },
  { error: new TypeError('network error'), online: true, why: 'no-answer' },
  { error: Object.assign(new Error('of the server'), { digest: '1' }), online: true, why: 'server-error' },
  {
    error: new Error('An unexpected response was received from the server.'),
    online: true,
    why: 'server-error',
  },
])(
  'says of $error.name ($error.message), online: $online, that it is $why',
  async ({ error, online, why }) => {
    vi.stubGlobal('navigator', { onLine: online })
    const form = new FormData()
    form.set('text', 'typed')
    const state = { kind: 'unanswered', why, values: { text: 'typed' } }
    expect(await callAction(fails(error), form)).toEqual(state)
    expect(await callAction(fails(error), { text: 'typed' })).toEqual({ ...state, values: {} })
  },
)

test('throws an error again that no request throws', async () => {
  await expect(callAction(fails('a string'), {})).rejects.toBe('a string')
})
