import { askSession, isLocked } from '../browser/session.ts'

export interface Waiting {
  readonly ask: () => void
  readonly stop: () => void
}

/** Milliseconds after which a server that did not answer is asked again, and a locked page looks whether it still is. */
const askAgainAfter = 2_000

/**
 * Calls `act`, which makes a page anew or opens another, as soon as the server answers and its database too. While they are away
 * the page stays as it is: Next would put the browser's own page of an error in its place, or ours, and what is typed would be
 * gone. A page that is locked waits as well, and asks nobody.
 */
export function onceAnswered(act: () => void): Waiting {
  let again: ReturnType<typeof setTimeout> | undefined
  let isAsking = false
  let isStopped = false
  const ask = async () => {
    if (isAsking) return
    clearTimeout(again)
    if (isLocked()) {
      again = setTimeout(ask, askAgainAfter)
      return
    }
    isAsking = true
    const session = await askSession()
    isAsking = false
    if (isStopped) return
    if (session === null) again = setTimeout(ask, askAgainAfter)
    else act()
  }
  return {
    ask: () => void ask(),
    stop: () => {
      isStopped = true
      clearTimeout(again)
    },
  }
}
