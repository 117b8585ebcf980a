import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { announceSignIn } from '../form/tab-channel.ts'
import { askSession, reportUse } from './session.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const active = { state: 'active', person: 'x', idleIn: 1_000, endsIn: 2_000 }

/** The server answers like this, with the last answer for ever. The mock counts the requests. */
function serverAnswers(...answers: object[]) {
  const asked = vi.fn(async () => Response.json(answers.length > 1 ? answers.shift() : answers[0]))
  vi.stubGlobal('fetch', asked)
  return asked
}

it.each([
  ['looking', askSession],
  ['using the page', reportUse],
])('%s while another sign-in is under way waits until a tab announces its end', async (_what, call) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = serverAnswers({ state: 'replaced' }, { state: 'replaced' }, active)
  const answer = call()
  // The clock does not move: only announcements arrive.
  for (let turn = 0; turn < 1_000 && asked.mock.calls.length < 3; turn++) {
    announceSignIn()
    await nextTurn()
  }
  expect(asked).toHaveBeenCalledTimes(3)
  expect(await answer).toEqual(active)
})

it('the server’s answer shows a sign-in that no tab announces', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  serverAnswers({ state: 'replaced' }, active)
  const answer = askSession()
  await vi.advanceTimersByTimeAsync(500)
  expect(await answer).toEqual(active)
})

it('the wait for a cookie that never comes ends after ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = serverAnswers({ state: 'replaced' })
  const answer = askSession()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await answer).toEqual({ state: 'replaced' })
  expect(asked).toHaveBeenCalledTimes(21)
})

it.each([[{ state: 'ended' }], [{ state: 'locked' }], [active]])('%j is answered at once', async (state) => {
  const asked = serverAnswers(state)
  expect(await askSession()).toEqual(state)
  expect(asked).toHaveBeenCalledTimes(1)
})

it('a server that hangs does not answer, and the next question reaches it', async () => {
  const late = new AbortController()
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(late.signal)
  vi.stubGlobal(
    'fetch',
    (_path: string, { signal }: { signal?: AbortSignal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  )
  const answer = askSession()
  late.abort()
  expect(limit).toHaveBeenCalledWith(20_000)
  expect(await answer).toBeNull()
  serverAnswers(active)
  expect(await askSession()).toEqual(active)
})
