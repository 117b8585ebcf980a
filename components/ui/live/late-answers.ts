import type { Query, QueryCache } from '@tanstack/react-query'

/** Milliseconds after which what somebody waits for is late. */
export const lateAfter = 5_000

let isLate = false
const listeners = new Set<() => void>()

/** Whether somebody waits for an answer that is late. */
export const isAnswerLate = () => isLate

/** Calls `listener` whenever that changes; answers how to end it. */
export function onLateAnswer(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Watches for answers that are late; answers how to end it. What is read anew while it is shown keeps nobody waiting, nor does a
 * query whose `meta` says that it `renews`.
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
