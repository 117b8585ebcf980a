import { askSession, isLocked } from '../browser/session.ts'

export interface Waiting {
  readonly ask: () => void
  readonly stop: () => void
}

/**
 * A server that did not answer is asked again after this many milliseconds. A locked or held page checks as often
 * whether it still is.
 */
const askAgainAfter = 2_000

/**
 * `act` renders a page again or opens another one, as soon as the server and its database answer. Until then the
 * page stays as it is: Next would replace it with an error page, and typed text would be lost. A locked page also
 * waits, without asking, and so does a page while `isHeld`.
 */
export function onceAnswered(act: () => void, isHeld: () => boolean = () => false): Waiting {
  let again: ReturnType<typeof setTimeout> | undefined
  let isAsking = false
  let isStopped = false
  const ask = async () => {
    if (isAsking) return
    clearTimeout(again)
    if (isLocked() || isHeld()) {
      again = setTimeout(ask, askAgainAfter)
      return
    }
    isAsking = true
    const session = await askSession()
    isAsking = false
    if (isStopped) return
    if (session === null || isHeld()) again = setTimeout(ask, askAgainAfter)
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
