import { expect, type Page, test } from '@playwright/test'
import { isSeen, pressTab } from './keyboard.ts'
import {
  type Clickable,
  type Control,
  findMouseOnly,
  findUnreached,
  hasComeRound,
  needsNoRing,
  openDialog,
  reachedByKeyboard,
} from './tab-stops.ts'

/** The walk records what it met so far. Controls are numbered by their place in the list. */
interface Walk {
  /** The controls that existed before the walk come first, then others that had the focus. */
  readonly controls: Control[]
  readonly presses: (number | null)[]
  /** These controls had the focus without a visible ring. */
  readonly ringless: number[]
  /** These controls had the focus where nobody could see it. Each comes with the reason. */
  readonly hidden: string[]
}

interface Start {
  /** The count covers usable controls. */
  readonly count: number
  readonly clickables: readonly Clickable[]
}

/**
 * The walk presses Tab until it comes round, in the open dialog or else through the whole page. Every usable control must
 * get the focus visibly, in the window and under nothing. Nothing may react to clicks but not to keys.
 */
export async function expectKeyboardReachesAll(page: Page) {
  const start = `(${beginWalk})(${isSeen}, ${JSON.stringify(openDialog)})`
  const { count, clickables } = await page.evaluate<Start>(start)
  let walk = await page.evaluate(readWalk)
  const stops = walk.controls.filter(({ tabIndex }) => tabIndex >= 0).length
  for (let presses = 0, batch = stops + 2; !hasComeRound(walk.presses); batch = 25) {
    if (presses > 4 * count + 100) throw new Error(`Tab does not come round in ${presses} presses`)
    await pressTab(page, batch)
    presses += batch
    walk = await page.evaluate(readWalk)
  }
  const gone = await page.evaluate(endWalk)

  const passed = new Set([...walk.presses, ...gone].filter((at) => at !== null))
  const unreached = findUnreached(walk.controls.slice(0, count), passed)
  const reached = count - unreached.length - gone.filter((at) => at < count).length
  test.info().annotations.push({ type: reachedByKeyboard, description: String(reached) })
  expect([
    ...unreached.map((name) => `Tab does not reach ${name}`),
    ...walk.controls
      .filter((control, at) => walk.ringless.includes(at) && !needsNoRing(control))
      .map(({ name }) => `no ring shows that the focus is on ${name}`),
    ...walk.hidden,
    ...findMouseOnly(clickables).map((name) => `no key presses ${name}`),
  ]).toEqual([])
}

/** The page keeps these values beside the walk itself. */
interface Kept {
  readonly walk: Walk
  readonly elements: readonly HTMLElement[]
  readonly end: () => void
}

/** The function runs in the page, which keeps the walk until it ends. */
const readWalk = (): Walk => Reflect.get(window, 'rampartWalk').walk

/** The function runs in the page, restores it to its state before the walk, and answers which controls have gone. */
function endWalk(): number[] {
  const { elements, end }: Kept = Reflect.get(window, 'rampartWalk')
  end()
  return elements.flatMap((element, at) => (element.isConnected ? [] : [at]))
}

/**
 * The function runs in the page. It lists usable controls and clickable elements, and notes which one has the focus at each
 * press of Tab.
 */
function beginWalk(showsRing: (element: Element) => boolean, dialog: string): Start {
  const open = [...document.querySelectorAll(dialog)].filter((one) => one.checkVisibility()).at(-1)
  const root: ParentNode = open ?? document
  const controls: Control[] = []
  const elements: HTMLElement[] = []
  const numbers = new Map<Element, number>()
  /** The id tells boxes, rows and forms of the page apart. */
  const idOf = (element: Element | null | undefined): string | null => {
    if (!element) return null
    const number = numbers.get(element) ?? numbers.size
    numbers.set(element, number)
    return `${element.localName} ${number}`
  }
  const nameOf = (element: Element): string => {
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null
    const words = element.getAttribute('aria-label') ?? label ?? element.textContent ?? ''
    return `${element.localName} “${words.trim().replaceAll(/\s+/g, ' ').slice(0, 60)}”`
  }
  const boxes = '[role=listbox], [role=menu], [role=menubar], [role=tablist], [role=radiogroup]'
  const inBox = '[role=option], [role=menuitem], [role=tab], [role=radio]'
  const boxOf = (element: Element): Element | null => {
    if (element.matches(inBox)) return element.closest(boxes)
    const steered = element.matches('[role=combobox]') && element.getAttribute('aria-controls')
    return steered ? document.getElementById(steered) : null
  }
  const rowOf = (element: Element): Element | null => {
    const row = element.matches('a[href], button') ? element.closest('tr, li') : null
    return row?.querySelector('[data-row]') ? row : null
  }
  const note = (element: HTMLElement): number => {
    const known = elements.indexOf(element)
    if (known !== -1) return known
    const isRadio = element instanceof HTMLInputElement && element.type === 'radio' && element.name !== ''
    controls.push({
      name: nameOf(element),
      role: element.getAttribute('role'),
      tabIndex: element.tabIndex,
      group: isRadio ? `${idOf(element.form)} ${element.name}` : null,
      box: idOf(boxOf(element)),
      row: idOf(rowOf(element)),
      isRowLink: element.matches('[data-row]'),
    })
    return elements.push(element) - 1
  }

  const roles = 'button link menuitem option tab radio checkbox switch combobox'.split(' ')
  const used = [
    'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex^="-"])',
    ...roles.map((role) => `[role=${role}]`),
  ].join()
  for (const element of root.querySelectorAll<HTMLElement>(used))
    if (
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.matches(':disabled, [inert], [inert] *')
    )
      note(element)
  const count = controls.length

  /** The text says why nobody sees the middle of the element. It is null when a person sees it. */
  const whyHidden = (element: HTMLElement): string | null => {
    const small = element.getBoundingClientRect().width <= 1
    const drawn = (small && (element.closest('label') ?? element.parentElement)) || element
    const box = drawn.getClientRects()[0] ?? drawn.getBoundingClientRect()
    let [left, top] = [Math.max(box.left, 0), Math.max(box.top, 0)]
    let [right, bottom] = [Math.min(box.right, innerWidth), Math.min(box.bottom, innerHeight)]
    let passesStatic = getComputedStyle(drawn).position === 'absolute'
    let isFixed = getComputedStyle(drawn).position === 'fixed'
    for (let one = drawn.parentElement; one && one !== document.body && !isFixed; one = one.parentElement) {
      const { position, overflowX, overflowY, display } = getComputedStyle(one)
      // Only a positioned ancestor cuts off an absolutely positioned element.
      if (passesStatic && position === 'static') continue
      passesStatic = position === 'absolute'
      isFixed = position === 'fixed' || one.matches('dialog, [popover]')
      if (`${overflowX}${overflowY}` === 'visiblevisible' || /^(inline|contents)$/.test(display)) continue
      const inner = one.getBoundingClientRect()
      left = Math.max(left, inner.left)
      right = Math.min(right, inner.right)
      top = Math.max(top, inner.top)
      bottom = Math.min(bottom, inner.bottom)
    }
    // The browser shows the caret's place in a high element.
    if (right <= left || bottom - top < Math.min(box.height, 80) / 2) return 'is not scrolled into view'
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    if (!hit || drawn.contains(hit) || hit.contains(drawn)) return null
    // A popover that a person opened lies where they wanted it.
    return hit.closest('[popover]') ? null : `lies under ${nameOf(hit)}`
  }

  const walk: Walk = { controls, presses: [], ringless: [], hidden: [] }
  const focused = () => {
    const element = document.activeElement
    return element instanceof HTMLElement && element !== document.body ? element : null
  }
  // The keyup event comes after the focus has moved and the page has scrolled to it.
  const onKeyUp = ({ key }: KeyboardEvent) => {
    if (key !== 'Tab') return
    const element = focused()
    const at = element && note(element)
    if (element && at !== null && !walk.presses.includes(at)) {
      if (!showsRing(element)) walk.ringless.push(at)
      const why = whyHidden(element)
      if (why) walk.hidden.push(`${controls[at]?.name} has the focus and ${why}`)
    }
    walk.presses.push(at)
  }
  addEventListener('keyup', onKeyUp, { capture: true })
  const before = focused()
  const top = scrollY
  const end = () => {
    removeEventListener('keyup', onKeyUp, { capture: true })
    if (before) before.focus({ preventScroll: true })
    else focused()?.blur()
    scrollTo({ top, behavior: 'instant' })
  }
  const kept: Kept = { walk, elements, end }
  Object.assign(window, { rampartWalk: kept })

  const all = [...document.querySelectorAll<HTMLElement>('*')]
  const propsKey = all.flatMap((one) => Object.keys(one)).find((key) => key.startsWith('__reactProps$')) ?? ''
  const clickables = all.flatMap((element): Clickable[] => {
    const props: Record<string, unknown> = Reflect.get(element, propsKey) ?? {}
    if (typeof props.onClick !== 'function') return []
    return [
      {
        name: nameOf(element),
        tag: element.localName,
        role: element.getAttribute('role'),
        tabIndex: element.tabIndex,
        isNative: element.matches('a[href], button, input, select, textarea, summary, label'),
        hearsKeys: ['onKeyDown', 'onKeyUp', 'onKeyPress'].some((key) => typeof props[key] === 'function'),
      },
    ]
  })
  return { count, clickables }
}
