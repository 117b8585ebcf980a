import type { Page } from '@playwright/test'

/** What a person at a page sees while rows arrive. Times in ms. */
export interface Seen {
  /** When each line of a transaction was first painted, by its short id; since 1970. */
  readonly drawn: readonly (readonly [shortId: string, at: number])[]
  /** From frame to frame. */
  readonly frames: readonly number[]
  /** From a key to the frame that shows it. */
  readonly keys: readonly number[]
}

/** Has the page take note of its new rows, its frames and its keys. */
export const beginWatching = (page: Page) =>
  page.evaluate(() => {
    const drawn = new Map<string, number>()
    const frames: number[] = []
    const keys: number[] = []
    Object.assign(window, { rampartSeen: { drawn, frames, keys } })
    const idOf = (node: Node) => /[0-9a-f]{8}…[0-9a-f]{5}/.exec(node.textContent ?? '')?.[0]
    new MutationObserver((changes) => {
      const ids = changes.flatMap(({ addedNodes }) => [...addedNodes].flatMap((node) => idOf(node) ?? []))
      if (ids.length === 0) return
      // The frame that holds them is painted when the one after it begins.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          const now = performance.timeOrigin + performance.now()
          for (const id of ids) if (!drawn.has(id)) drawn.set(id, now)
        }),
      )
    }).observe(document.body, { subtree: true, childList: true })
    let before = performance.now()
    const next = (now: number) => {
      frames.push(now - before)
      before = now
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') keys.push(duration)
    }).observe(Object.assign({ type: 'event' }, { durationThreshold: 16 }))
  })

/** What was seen since, or since this was asked the last time. */
export const readSeen = (page: Page): Promise<Seen> =>
  page.evaluate(() => {
    const seen: {
      readonly drawn: Map<string, number>
      readonly frames: number[]
      readonly keys: number[]
    } = Reflect.get(window, 'rampartSeen')
    const answer = { drawn: [...seen.drawn], frames: [...seen.frames], keys: [...seen.keys] }
    seen.drawn.clear()
    seen.frames.length = 0
    seen.keys.length = 0
    return answer
  })
