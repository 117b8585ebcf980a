import { type CDPSession, expect, type Locator, type Page } from '@playwright/test'
import { openDialog, pressesBetween } from './tab-stops.ts'

/** A person without a mouse reaches every control with Tab, sees it there, and uses it with keys. */

/** The function presses Tab until the target has the focus, and checks that the focus is visible. */
export async function reach(target: Locator) {
  await expect(target).toBeVisible()
  await tabTo(target)
  await expect(target).toBeFocused()
  expect(await target.evaluate(isSeen), `the focus is seen on ${target}`).toBe(true)
}

/**
 * The function presses Tab until the target, or another radio button of its group, has the focus. It first presses as often
 * as there seem to be stops in between, and then one at a time.
 */
async function tabTo(target: Locator) {
  for (let presses = 0; ; ) {
    const { isThere, from, to, stops } = await target.evaluate(findWay, openDialog)
    if (isThere) return
    // After the focused element has gone, Tab may start in the middle of the page, so a second round is allowed.
    if (presses > 150 + 2 * stops) throw new Error(`Tab does not reach ${target}`)
    const ahead = presses === 0 && to !== -1 ? pressesBetween(from, to, stops) : 1
    await pressTab(target.page(), ahead)
    presses += ahead
  }
}

/** Each page keeps its session: the end of one would also remove the page's virtual authenticator. */
const sessions = new WeakMap<Page, Promise<CDPSession>>()

/** The browser takes these presses one after the other, without a question in between. */
export async function pressTab(page: Page, times: number) {
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, session)
  const devtools = await session
  const keys = Array.from({ length: times }, () => ['rawKeyDown', 'keyUp'] as const).flat()
  const tab = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 }
  await Promise.all(keys.map((type) => devtools.send('Input.dispatchKeyEvent', { type, ...tab })))
}

/**
 * The function runs in the page. It answers the number of stops, and the places of the focus and the target; -1 means none.
 */
function findWay(target: Element, dialog: string) {
  const root = [...document.querySelectorAll(dialog)].at(-1) ?? document
  const isOfGroup = (one: Element, other: Element) =>
    one instanceof HTMLInputElement &&
    other instanceof HTMLInputElement &&
    one.type === 'radio' &&
    other.type === 'radio' &&
    one.name === other.name &&
    one.form === other.form
  const all = [
    ...root.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]'),
  ].filter(
    (one) =>
      one.tabIndex >= 0 &&
      one.checkVisibility({ visibilityProperty: true }) &&
      !one.matches(':disabled, [inert] *'),
  )
  // A group of radio buttons is one stop, at the chosen button.
  const stops = all.filter((one) => {
    const group = all.filter((other) => isOfGroup(one, other))
    const stop = group.find((other) => other.matches(':checked')) ?? group[0]
    return stop === undefined || stop === one
  })
  const focused = document.activeElement ?? document.body
  const before = (one: Element) =>
    one === focused || (one.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  return {
    isThere: focused === target || isOfGroup(focused, target),
    from: focused === document.body ? -1 : stops.findLastIndex(before),
    to: stops.findIndex((one) => one === target || isOfGroup(one, target)),
    stops: stops.length,
  }
}

/** A ring shows the focus around the element, around its row, or around the field that contains it. */
export const isSeen = (element: Element): boolean =>
  [
    getComputedStyle(element),
    getComputedStyle(element, '::before'),
    getComputedStyle(element.parentElement ?? element),
  ].some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && outlineWidth !== '0px')

/** The function presses Enter on a button or a link. */
export async function press(target: Locator) {
  await reach(target)
  await target.page().keyboard.press('Enter')
}

/** The function replaces a field's content. */
export async function type(field: Locator, text: string) {
  await reach(field)
  await field.page().keyboard.press('ControlOrMeta+A')
  await field.page().keyboard.type(text)
}

/** The function chooses in a list by the first letters of the choice. */
export async function choose(list: Locator, text: string) {
  await reach(list)
  await list.page().keyboard.type(text)
  await expect(list.locator('option:checked')).toContainText(text)
}

/** The function chooses one of several radio buttons with the arrow keys. */
export async function pick(choice: Locator) {
  await expect(choice).toBeVisible()
  await tabTo(choice)
  const { keyboard } = choice.page()
  for (let presses = 0; presses < 10 && !(await choice.isChecked()); presses++)
    await keyboard.press('ArrowDown')
  await expect(choice).toBeChecked()
}
