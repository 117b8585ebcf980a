import path from 'node:path'
import { expect, type Page } from '@playwright/test'

/**
 * Makes all text twice as large, and nothing else: no text is cut off or runs over what stands beside it, and the page does
 * not scroll sideways. Harder than a browser's own setting, which moves the breakpoints as well.
 */
export async function expectRoomForLargeText(page: Page, name: string, width: number) {
  const before = page.viewportSize()
  await page.setViewportSize({ width, height: 900 })
  await setRootSize(page, '200%')
  await keepPicture(page, `${name}-large-text-${width}`)
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(sideways, `pixels that the page scrolls sideways at ${width} px`).toBeLessThanOrEqual(0)
  expect(await page.evaluate(findCutText), `cut text at ${width} px`).toEqual([])
  await setRootSize(page, '')
  if (before) await page.setViewportSize(before)
}

const setRootSize = (page: Page, size: string) =>
  page.evaluate(async (fontSize) => {
    document.documentElement.style.fontSize = fontSize
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  }, size)

async function keepPicture(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true })
}

/** Runs in the page: texts that leave the box of an element around them. What scrolls, or ends in "…", cuts nothing off. */
function findCutText(): string[] {
  const cut: string[] = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement
    if (!parent || text.textContent?.trim() === '' || parent.closest('select, textarea, svg, script, style'))
      continue
    if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    const lines = [...range.getClientRects()].filter(({ width }) => width > 0)
    const fault = lines.length > 0 && faultOf(parent, lines)
    if (fault) cut.push(`“${text.textContent?.trim().slice(0, 60)}” ${fault}`)
  }
  return cut

  function faultOf(parent: Element, lines: readonly DOMRect[]): string | null {
    // A line of text is taller than the letters in it.
    const spare = Number.parseFloat(getComputedStyle(parent).fontSize) * 0.4
    let [across, down] = [true, true]
    for (let box: Element | null = parent; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box)
      const { left, right, top, bottom, width } = box.getBoundingClientRect()
      if (width <= 1) return null
      if (style.display === 'inline' || style.display === 'contents') continue
      if (style.overflowX === 'auto' || style.overflowX === 'scroll' || style.textOverflow === 'ellipsis')
        across = false
      if (style.overflowY === 'auto' || style.overflowY === 'scroll') down = false
      const name = `${box.tagName.toLowerCase()}.${box.getAttribute('class') ?? ''}`.slice(0, 80)
      if (across && lines.some((line) => line.right > right + 4 || line.left < left - 4))
        return `is too wide for ${name}`
      if (down && lines.some((line) => line.bottom > bottom + spare || line.top < top - spare))
        return `is too high for ${name}`
      if (style.position === 'absolute' || style.position === 'fixed') return null
    }
    return null
  }
}
