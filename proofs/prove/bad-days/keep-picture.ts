import path from 'node:path'
import type { Page } from '@playwright/test'

/** With SCREENSHOTS=FOLDER the page as it stands is kept, in light and dark, wide and narrow. */
export async function keepPicture(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  const before = page.viewportSize()
  for (const width of [360, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await page.waitForTimeout(300)
      await page.screenshot({
        path: path.join(folder, `${name}-${colorScheme}-${width}.png`),
        fullPage: true,
      })
    }
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
}
