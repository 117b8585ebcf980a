import { expect, type Locator } from '@playwright/test'
import { openDialog, pressesBetween } from './tab-stops.ts'

/** A person without a mouse: every control is reached by Tab, can be seen there, and is used by keys. */

/** Presses Tab until the focus is there; it can be seen where the focus is. */
export async function reach(target: Locator) {
  await expect(target).toBeVisible()
  await tabTo(target)
  await expect(target).toBeFocused()
  expect(await target.evaluate(isSeen), `the focus is seen on ${target}`).toBe(true)
}

/**
 * Presses Tab until the focus is there, or on another radio button of its group: first as often as there seem to be stops
 * before it, then one by one.
 */
async function tabTo(target: Locator) {
  for (let presses = 0; ; ) {
    const { isThere, from, to, stops } = await target.evaluate(findWay, openDialog)
    if (isThere) return
    // Where the focus was on something that is gone, Tab begins elsewhere than at the top, and goes round once more.
    if (presses > 150 + 2 * stops) throw new Error(`Tab does not reach ${target}`)
    const ahead = presses === 0 && to !== -1 ? pressesBetween(from, to, stops) : 1
    for (let press = 0; press < ahead; press++) await target.page().keyboard.press('Tab')
    presses += ahead
  }
}

/** Runs in the page: of how many stops which one has the focus, and which is the target; -1 where none does. */
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
  // A group of radio buttons is one stop, at the one that is chosen.
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

/** Whether a ring shows the focus: around the element, around its row, or around the field that it is part of. */
export const isSeen = (element: Element): boolean =>
  [
    getComputedStyle(element),
    getComputedStyle(element, '::before'),
    getComputedStyle(element.parentElement ?? element),
  ].some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && outlineWidth !== '0px')

/** Presses Enter on a button or a link. */
export async function press(target: Locator) {
  await reach(target)
  await target.page().keyboard.press('Enter')
}

/** Writes over what stands in a field. */
export async function type(field: Locator, text: string) {
  await reach(field)
  await field.page().keyboard.press('ControlOrMeta+A')
  await field.page().keyboard.type(text)
}

/** Chooses in a list by the first letters of the choice. */
export async function choose(list: Locator, text: string) {
  await reach(list)
  await list.page().keyboard.type(text)
  await expect(list.locator('option:checked')).toContainText(text)
}

/** Chooses one of several radio buttons by the arrow keys. */
export async function pick(choice: Locator) {
  await expect(choice).toBeVisible()
  await tabTo(choice)
  const { keyboard } = choice.page()
  for (let presses = 0; presses < 10 && !(await choice.isChecked()); presses++)
    await keyboard.press('ArrowDown')
  await expect(choice).toBeChecked()
}
