import { expect, type Page } from '@playwright/test'

/** Every control is at least 40 px wide and high, so that a finger can hit it. */
export async function expectRoomForFingers(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches), 'a finger points').toBe(true)
  expect(await page.evaluate(findSmallTargets), 'too small for a finger').toEqual([])
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  await devtools.detach()
}

/** The function runs in the page. A link in a line of text is as high as its line, and a row’s link as large as its row. */
function findSmallTargets(): string[] {
  const pressed = 'button, summary, select, input:not([type=hidden]), [role=button], nav a'
  return [...document.querySelectorAll<HTMLElement>(pressed)].flatMap((target) => {
    if (!target.checkVisibility({ visibilityProperty: true })) return []
    const label = target.closest('label')
    const boxes = [target.getBoundingClientRect(), ...(label ? [label.getBoundingClientRect()] : [])]
    const drawn = ['::before', '::after'].map((part) => {
      const style = getComputedStyle(target, part)
      const shown = style.content !== 'none' && style.position === 'absolute'
      return shown ? [Number.parseFloat(style.width), Number.parseFloat(style.height)] : [0, 0]
    })
    const width = Math.max(...boxes.map((box) => box.width), ...drawn.map(([w = 0]) => w))
    const height = Math.max(...boxes.map((box) => box.height), ...drawn.map(([, h = 0]) => h))
    if (width <= 1 || (width >= 39.5 && height >= 39.5)) return []
    const name = target.getAttribute('aria-label') ?? target.textContent?.trim().slice(0, 40) ?? ''
    return [`${target.tagName.toLowerCase()} “${name}” ${Math.round(width)} × ${Math.round(height)}`]
  })
}
