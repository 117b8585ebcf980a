import type { Page } from '@playwright/test'

/**
 * Widths in pixels at which whole pages are looked at. `npm run prove -- screens` names more of them in this variable, and
 * then everything is looked at: each state, all messages of the console, text at 200 %, what moves, what shifts.
 */
export const widthsVariable = 'RAMPART_SCREEN_WIDTHS'
const wanted = process.env[widthsVariable]
export const isProof = wanted !== undefined
export const everyWidth: readonly number[] = wanted?.split(' ').map(Number) ?? [1440, 390]

/** Of the screens that are so wide. */
export const heightOf = (width: number) => (width < 600 ? 844 : 900)

interface Shift {
  readonly value: number
  readonly at: number
  readonly what: string
}

/** Has the page remember what shifts without a person's doing, until `endShifts`. Call it before the first `goto`. */
export async function watchShifts(page: Page) {
  await page.addInitScript(() => {
    const shifts: Shift[] = []
    const note = (entries: readonly PerformanceEntry[]) => {
      for (const entry of entries) {
        if (Reflect.get(entry, 'hadRecentInput')) continue
        const sources: { readonly node?: Element | Text | null }[] = Reflect.get(entry, 'sources')
        const what = sources.map(({ node }) => (node?.textContent ?? '').slice(0, 40)).join(' | ')
        shifts.push({ value: Number(Reflect.get(entry, 'value')), at: entry.startTime, what })
      }
    }
    const observer = new PerformanceObserver((list) => note(list.getEntries()))
    observer.observe({ type: 'layout-shift', buffered: true })
    const endShifts = () => {
      note(observer.takeRecords())
      observer.disconnect()
    }
    Object.assign(window, { rampartShifts: shifts, endShifts })
  })
}

/**
 * Before the page is given another width or size of text, which shifts all of it. Whatever comes late has come by then: a
 * second and a half after the page was asked for.
 */
export const endShifts = (page: Page) =>
  page.evaluate(async () => {
    await new Promise((done) => setTimeout(done, 1_500 - performance.now()))
    Reflect.get(window, 'endShifts')()
  })

/**
 * The cumulative layout shift of the page as it stands: the most that shifted within 5 s without a second of rest. With what
 * shifted most.
 */
export async function readShift(page: Page): Promise<{ readonly shift: number; readonly what: string }> {
  const shifts = await page.evaluate((): Shift[] => Reflect.get(window, 'rampartShifts') ?? [])
  let [most, sum, began, last] = [0, 0, 0, Number.NEGATIVE_INFINITY]
  for (const { value, at } of shifts) {
    const goesOn = at - last < 1_000 && at - began < 5_000
    if (!goesOn) began = at
    sum = goesOn ? sum + value : value
    most = Math.max(most, sum)
    last = at
  }
  const what = shifts.toSorted((a, b) => b.value - a.value)[0]?.what ?? ''
  return { shift: most, what }
}

/** Sets the size of text as the browser's own setting does: 16 px unless somebody chose otherwise. */
export async function setTextSize(page: Page, px: number) {
  const devtools = await page.context().newCDPSession(page)
  // It holds for as long as the session, which ends with the page.
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: px, fixed: Math.round((px * 13) / 16) } })
}

/** What still moves, as the names of its elements. */
export const listMoving = (page: Page) =>
  page.evaluate(() =>
    document.getAnimations().flatMap(({ playState, effect }) => {
      const { duration, endTime } = effect?.getComputedTiming() ?? {}
      const moves = playState === 'running' && (Number(duration) > 50 || Number(endTime) > 500)
      return moves && effect instanceof KeyframeEffect ? (effect.target?.className ?? 'something') : []
    }),
  )
