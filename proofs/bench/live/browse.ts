import type { Page } from '@playwright/test'
import { openBrowser } from '../installation/open-browser.ts'
import { beginWatching, readSeen, type Seen } from './watch-rows.ts'

/** What a person saw who watched the timeline, scrolled it, and typed into the palette above it. */
export interface Browsed {
  readonly drawn: Seen['drawn']
  readonly frames: Seen['frames']
  /** Of every key that was typed; 0 for one that took less than 16 ms, which no browser tells. */
  readonly keys: readonly number[]
}

/**
 * Opens the timeline in a browser, and watches while deliveries arrive: for so many seconds still, then scrolling, then typing.
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
  // What was there before the watching begins is no figure.
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

/** As fast as somebody types who can type. */
async function type(page: Page, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000
  let typed = 0
  while (performance.now() < until) {
    // So that the field does not grow without end.
    await page.keyboard.press(typed % 12 === 11 ? 'Control+a' : 'abcdef0123456789'.charAt(typed % 16))
    typed += 1
    await page.waitForTimeout(100)
  }
  return typed
}
