import {
  CancelledError,
  keepPreviousData,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
} from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { isAnswerLate, noticeLateAnswers, onLateAnswer } from './late-answers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  for (const leave of left.splice(0)) leave()
  vi.useRealTimers()
})

const left: (() => void)[] = []

/** The page has a list from a database that may be slow. */
function openList() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  left.push(noticeLateAnswers(queries.getQueryCache()))
  const database = { ms: 0, fails: false }
  const optionsOf = (path: string): QueryObserverOptions<string> => ({
    queryKey: [path],
    queryFn: async ({ signal }) => {
      const { ms, fails } = database
      await new Promise((answer) => setTimeout(answer, ms))
      signal.throwIfAborted()
      if (fails) throw new Error('No answer')
      return path
    },
    placeholderData: keepPreviousData,
  })
  const list = new QueryObserver(queries, optionsOf('all'))
  const leave = list.subscribe(() => undefined)
  left.push(leave)
  return { database, queries, leave, choose: (path: string) => list.setOptions(optionsOf(path)) }
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000)

it('an answer is late after five seconds, until it arrives', async () => {
  const { database, choose } = openList()
  const reported = vi.fn()
  left.push(onLateAnswer(reported))
  await seconds(1)
  database.ms = 9_000
  choose('held')
  await seconds(4.9)
  expect(isAnswerLate()).toBe(false)
  await seconds(0.2)
  expect(isAnswerLate()).toBe(true)
  await seconds(4)
  expect(isAnswerLate()).toBe(false)
  expect(reported).toHaveBeenCalledTimes(2)
})

it('nothing is late any more once the answer failed or the list was left', async () => {
  const { database, choose, leave } = openList()
  await seconds(1)
  Object.assign(database, { ms: 9_000, fails: true })
  choose('held')
  await seconds(6)
  expect(isAnswerLate()).toBe(true)
  await seconds(4)
  expect(isAnswerLate()).toBe(false)
  choose('failed')
  await seconds(6)
  expect(isAnswerLate()).toBe(true)
  leave()
  await seconds(0)
  expect(isAnswerLate()).toBe(false)
})

it('the time starts again with the latest choice', async () => {
  const { database, choose } = openList()
  await seconds(1)
  database.ms = 30_000
  for (const path of ['a', 'an', 'ana']) {
    choose(path)
    await seconds(4)
  }
  expect(isAnswerLate()).toBe(false)
  await seconds(2)
  expect(isAnswerLate()).toBe(true)
})

it('a query that refreshes shown data is never late, nor one that nobody waits for', async () => {
  const { database, queries } = openList()
  await seconds(1)
  database.ms = 30_000
  void queries.invalidateQueries()
  const renewed = new QueryObserver(queries, {
    queryKey: ['rows'],
    queryFn: () => new Promise(() => undefined),
    meta: { renews: true },
  })
  left.push(renewed.subscribe(() => undefined))
  await seconds(10)
  expect(isAnswerLate()).toBe(false)
})

it('a query that a list reads once can be late too, unless the list was left', async () => {
  const { queries } = openList()
  await seconds(1)
  const older = () =>
    queries.fetchQuery({ queryKey: ['older'], queryFn: () => new Promise(() => undefined), gcTime: 0 })
  const cancelled = expect(older()).rejects.toThrow(CancelledError)
  await seconds(6)
  expect(isAnswerLate()).toBe(true)
  await queries.cancelQueries({ queryKey: ['older'] })
  await cancelled
  expect(isAnswerLate()).toBe(false)
})
