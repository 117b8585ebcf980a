import type { Page } from '@playwright/test'
import { openBrowser } from '../installation/installation.ts'

/** A person watched the timeline, scrolled it, and typed into the palette above it. */
export interface Browsed {
  readonly drawn: Seen['drawn']
  readonly frames: Seen['frames']
  /** The list has every typed key. It is 0 for a key that took less than 16 ms, which no browser reports. */
  readonly keys: readonly number[]
}

/**
 * The function opens the timeline in a browser while deliveries arrive: for so many seconds still, then scrolling, then
 * typing.
 * @param cookie the name and the value of a session's
 * @param send sends deliveries for so many seconds
 */
export async function browse(
  url: string,
  cookie: string,
  send: (seconds: number) => Promise<void>,
  seconds: number,
): Promise<Browsed> {
  const browser = await openBrowser()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url }])
  const page = await context.newPage()
  await page.goto(`${url}/timeline`)
  await page.locator('header [data-connection=live]').first().waitFor()
  await beginWatching(page)
  const during = async (act: () => Promise<number>) => {
    const sent = send(seconds)
    const acts = await act()
    await sent
    await page.waitForTimeout(1_000)
    return { acts, ...(await readSeen(page)) }
  }
  // Rows from before the measurement do not count.
  await send(1)
  await readSeen(page)
  const still = await during(async () => 0)
  const scrolled = await during(() => scroll(page, seconds))
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await readSeen(page)
  const typed = await during(() => type(page, seconds))
  await browser.close()
  const quick = Array.from({ length: Math.max(0, typed.acts - typed.keys.length) }, () => 0)
  return { drawn: still.drawn, frames: scrolled.frames, keys: [...quick, ...typed.keys] }
}

async function scroll(page: Page, seconds: number): Promise<number> {
  await page.mouse.move(700, 500)
  const until = performance.now() + seconds * 1000
  let turns = 0
  while (performance.now() < until) {
    await page.mouse.wheel(0, turns++ % 40 < 20 ? 120 : -120)
    await page.waitForTimeout(30)
  }
  return turns
}

/** The pace is that of a fast typist. */
async function type(page: Page, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000
  let typed = 0
  while (performance.now() < until) {
    // The field is emptied now and then, so that it does not grow without end.
    await page.keyboard.press(typed % 12 === 11 ? 'Control+a' : 'abcdef0123456789'.charAt(typed % 16))
    typed += 1
    await page.waitForTimeout(100)
  }
  return typed
}

/** A person at a page sees this while rows arrive. Times are in ms. */
interface Seen {
  /** The list says when each row of a transaction was first painted, by its short id, in ms since 1970. */
  readonly drawn: readonly (readonly [shortId: string, at: number])[]
  /** The time runs from frame to frame. */
  readonly frames: readonly number[]
  /** The time runs from a key to the frame that shows it. */
  readonly keys: readonly number[]
}

/** The page records its new rows, its frames and its keys. */
const beginWatching = (page: Page) =>
  page.evaluate(() => {
    const drawn = new Map<string, number>()
    const frames: number[] = []
    const keys: number[] = []
    Object.assign(window, { rampartSeen: { drawn, frames, keys } })
    const idOf = (node: Node) => /[0-9a-f]{8}…[0-9a-f]{5}/.exec(node.textContent ?? '')?.[0]
    new MutationObserver((changes) => {
      const ids = changes.flatMap(({ addedNodes }) => [...addedNodes].flatMap((node) => idOf(node) ?? []))
      if (ids.length === 0) return
      // The frame with the rows is painted when the next frame begins.
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

/** The result covers the time since the last call. */
const readSeen = (page: Page): Promise<Seen> =>
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
