import type { Query, QueryCache } from '@tanstack/react-query'

/** An answer that somebody waits for is late after this many milliseconds. */
export const lateAfter = 5_000

let isLate = false
const listeners = new Set<() => void>()

/** Somebody waits for a late answer. */
export const isAnswerLate = () => isLate

/** `listener` is called whenever that changes. Returns a function that ends this. */
export function onLateAnswer(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * The cache is watched for late answers. Nobody waits for a query that refreshes data which is shown, nor for one
 * whose `meta` says that it `renews`. Returns a function that ends this.
 */
export function noticeLateAnswers(cache: QueryCache): () => void {
  let awaited: Query | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = (next?: Query) => {
    if (next === awaited) return
    awaited = next
    clearTimeout(timer)
    say(false)
    if (next) timer = setTimeout(say, lateAfter, true)
  }
  const end = cache.subscribe(() => wait(cache.getAll().find(isAwaited)))
  return () => {
    end()
    wait()
  }
}

const isAwaited = ({ state, meta }: Query) =>
  state.fetchStatus === 'fetching' && state.status === 'pending' && !meta?.renews

function say(late: boolean): void {
  if (late === isLate) return
  isLate = late
  for (const listener of listeners) listener()
}
