import type { Page } from '@playwright/test'

/**
 * Whole pages are checked at these widths in pixels. `npm run prove -- screens` names more widths in this variable. Then
 * every state, all messages of the console, text at 200 %, animations and shifts are checked too.
 */
export const widthsVariable = 'RAMPART_SCREEN_WIDTHS'
const wanted = process.env[widthsVariable]
export const isProof = wanted !== undefined
export const everyWidth: readonly number[] = wanted?.split(' ').map(Number) ?? [1440, 390]

/** The height belongs to a screen of this width. */
export const heightOf = (width: number) => (width < 600 ? 844 : 900)

interface Shift {
  readonly value: number
  readonly at: number
  readonly what: string
}

/** The page records layout shifts without a person's doing until `endShifts`. Call it before the first `goto`. */
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
 * Call this before the page gets another width or text size, which shifts everything. Late parts have arrived a second and a
 * half after the request.
 */
export const endShifts = (page: Page) =>
  page.evaluate(async () => {
    await new Promise((done) => setTimeout(done, 1_500 - performance.now()))
    Reflect.get(window, 'endShifts')()
  })

/**
 * The result is the page's cumulative layout shift: the most that shifted within 5 s without a second of rest. It also names
 * what shifted most.
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

/** The text size changes as by the browser's own setting, which is 16 px by default. */
export async function setTextSize(page: Page, px: number) {
  const devtools = await page.context().newCDPSession(page)
  // The setting lasts as long as the session, which ends with the page.
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: px, fixed: Math.round((px * 13) / 16) } })
}

/** The list names the elements that still move. */
export const listMoving = (page: Page) =>
  page.evaluate(() =>
    document.getAnimations().flatMap(({ playState, effect }) => {
      const { duration, endTime } = effect?.getComputedTiming() ?? {}
      const moves = playState === 'running' && (Number(duration) > 50 || Number(endTime) > 500)
      return moves && effect instanceof KeyframeEffect ? (effect.target?.className ?? 'something') : []
    }),
  )
