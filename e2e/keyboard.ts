import { expect, type Locator } from '@playwright/test'

/** A person without a mouse: every control is reached by Tab, can be seen there, and is used by keys. */

/** Presses Tab until the focus is there; it can be seen where the focus is. */
export async function reach(target: Locator) {
  await expect(target).toBeVisible()
  const page = target.page()
  for (let presses = 0; presses < 150; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      expect(await target.evaluate(isSeen), `the focus is seen on ${target}`).toBe(true)
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target}`)
}

/** Whether a ring shows the focus: around the element, around its row, or around the field that it is part of. */
const isSeen = (element: Element): boolean =>
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
  const { keyboard } = choice.page()
  const isInGroup = (radio: Element) =>
    document.activeElement?.getAttribute('name') === radio.getAttribute('name')
  for (let presses = 0; presses < 150 && !(await choice.evaluate(isInGroup)); presses++)
    await keyboard.press('Tab')
  for (let presses = 0; presses < 10 && !(await choice.isChecked()); presses++)
    await keyboard.press('ArrowDown')
  await expect(choice).toBeChecked()
}
