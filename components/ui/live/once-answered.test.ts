import fs from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setLockAt } from '../browser/session.ts'
import { guardLeaving, isGuarded, keepPage } from '../form/leave-guard.ts'
import { onceAnswered } from './once-answered.ts'

const answers = vi.fn<() => Promise<Response>>()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('fetch', answers)
})
afterEach(() => {
  setLockAt(Number.POSITIVE_INFINITY)
  answers.mockReset()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const active = async () => Response.json({ state: 'active', person: 'x', idleIn: 1_000, endsIn: 2_000 })
const noServer = async () => {
  throw new TypeError('Failed to fetch')
}
const noDatabase = async () => new Response(null, { status: 500 })

test('a page is refreshed when the server answers', async () => {
  answers.mockImplementation(active)
  const refresh = vi.fn()
  onceAnswered(refresh).ask()
  await vi.advanceTimersByTimeAsync(0)
  expect(refresh).toHaveBeenCalledTimes(1)
})

test.each([
  ['no server answers', noServer],
  ['the database is away', noDatabase],
])('while %s a page stays, and is refreshed once afterwards', async (_what, away) => {
  answers.mockImplementation(away)
  const refresh = vi.fn()
  const { ask } = onceAnswered(refresh)
  ask()
  ask()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(refresh).not.toHaveBeenCalled()
  answers.mockImplementation(active)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(refresh).toHaveBeenCalledTimes(1)
})

test('a locked page asks nothing, and is refreshed once after it is unlocked', async () => {
  answers.mockImplementation(noServer)
  const [beforehand, locked] = [vi.fn(), vi.fn()]
  onceAnswered(beforehand).ask()
  await vi.advanceTimersByTimeAsync(0)
  setLockAt(Date.now())
  const { ask } = onceAnswered(locked)
  ask()
  ask()
  answers.mockReset()
  answers.mockImplementation(active)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(answers).not.toHaveBeenCalled()
  setLockAt(Number.POSITIVE_INFINITY)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(beforehand).toHaveBeenCalledTimes(1)
  expect(locked).toHaveBeenCalledTimes(1)
})

test.each([
  ['something is shown once', () => guardLeaving(() => undefined)],
  ['a form is under way', keepPage],
])('while %s a page stays, and is refreshed once afterwards', async (_what, guard) => {
  vi.stubGlobal('window', new EventTarget())
  answers.mockImplementation(active)
  const [before, meanwhile] = [vi.fn(), vi.fn()]
  // The secret appears while the server is asked.
  onceAnswered(before, isGuarded).ask()
  const end = guard()
  const { ask } = onceAnswered(meanwhile, isGuarded)
  ask()
  ask()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(before).not.toHaveBeenCalled()
  expect(meanwhile).not.toHaveBeenCalled()
  end()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(before).toHaveBeenCalledTimes(1)
  expect(meanwhile).toHaveBeenCalledTimes(1)
})

test('every refresh of a page by itself waits for what is shown once', () => {
  const source = fs.readFileSync(new URL('./refresh.tsx', import.meta.url), 'utf8')
  expect(source.match(/onceAnswered\(.*/g)).toEqual([expect.stringContaining(', isGuarded)')])
})

test('a page that was left asks nothing more', async () => {
  answers.mockImplementation(noServer)
  const refresh = vi.fn()
  const { ask, stop } = onceAnswered(refresh)
  ask()
  await vi.advanceTimersByTimeAsync(0)
  stop()
  answers.mockImplementation(active)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(refresh).not.toHaveBeenCalled()
})
