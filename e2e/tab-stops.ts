/** A test of `npm run prove -- screens` notes under this name how many controls the keyboard reached. */
export const reachedByKeyboard = 'reached by keyboard'

/** These elements keep the focus inside while they are open. A popover does not. */
export const openDialog = 'dialog:modal, [role=dialog]:not([popover]), [role=alertdialog]:not([popover])'

/**
 * The number is the presses of Tab from one stop to another, past the last stop if needed. -1 is the place before the first.
 */
export const pressesBetween = (from: number, to: number, stops: number): number =>
  to > from ? to - from : stops - from + to

/** A control can be used, or had the focus. Groups, boxes and rows are named by what tells them apart on the page. */
export interface Control {
  /** The name is for people: the control's tag and its words. */
  readonly name: string
  readonly role: string | null
  readonly tabIndex: number
  /** The group belongs to radio buttons. */
  readonly group: string | null
  /** The box is the list box, menu, tab list or radio group that contains the control, or that the field controls. */
  readonly box: string | null
  /** The row contains the control, where the whole row is a link. */
  readonly row: string | null
  readonly isRowLink: boolean
}

/**
 * Some patterns make several controls one Tab stop. The function answers what these controls share; other keys reach the
 * rest.
 */
const sharedStops: Readonly<Record<string, (control: Control) => string | null>> = {
  'arrow keys choose among radio buttons of one name': ({ group }) => group,
  'arrow keys walk what stands in the box; the focus is on one of it, or in the field (aria-activedescendant)':
    ({ box }) => box,
  '→ leads from the link of a row to what else stands there, as the page of the row has it (decision 0074)':
    ({ row, isRowLink, tabIndex }) => (isRowLink || tabIndex < 0 ? row : null),
}

/** These controls show the focus without a ring. */
const ringless: Readonly<Record<string, (control: Control) => boolean>> = {
  'the caret stands in the palette’s field, the only stop there': ({ role, box }) =>
    role === 'combobox' && box !== null,
}

/** Controls that Tab did not reach are listed by name. */
export function findUnreached(controls: readonly Control[], reached: ReadonlySet<number>): string[] {
  const isShared = (control: Control) =>
    Object.values(sharedStops).some((shared) => {
      const stop = shared(control)
      return stop !== null && controls.some((other, at) => reached.has(at) && shared(other) === stop)
    })
  return controls.filter((one, at) => !reached.has(at) && !isShared(one)).map(({ name }) => name)
}

/** A person sees the focus on these controls, though they show no ring. */
export const needsNoRing = (control: Control): boolean =>
  Object.values(ringless).some((applies) => applies(control))

/** A field has at most this many inner Tab stops: a date with its time and the button of its calendar has the most. */
const mostInnerStops = 8

/**
 * Tab has come round when a control has the focus again after another had it, or when the focus stays where it is. Each
 * press is given as the number of the focused control, or null.
 */
export function hasComeRound(presses: readonly (number | null)[]): boolean {
  const steps = presses.filter((one, at) => one !== null && one !== presses[at - 1])
  const tail = presses.slice(-mostInnerStops - 1)
  return new Set(steps).size < steps.length || (tail.length > mostInnerStops && new Set(tail).size === 1)
}

/** A clickable does something when it is clicked. */
export interface Clickable {
  readonly name: string
  readonly tag: string
  readonly role: string | null
  readonly tabIndex: number
  /** The browser itself clicks the element when a key is pressed. */
  readonly isNative: boolean
  readonly hearsKeys: boolean
}

/** These keys do the same as a click. */
const pressedByKey: Readonly<Record<string, (clickable: Clickable) => boolean>> = {
  'a button, a link or a field: the browser does it': ({ isNative }) => isNative,
  'it has a role, a Tab stop and keys of its own': ({ role, tabIndex, hearsKeys }) =>
    role !== null && tabIndex >= 0 && hearsKeys,
  'the field of its list box takes the keys': ({ role }) => role === 'option',
  'a click beside a dialog closes it, as Escape does': ({ tag }) => tag === 'dialog',
}

/** Clickables that no key presses are listed by name. */
export const findMouseOnly = (clickables: readonly Clickable[]): string[] =>
  clickables
    .filter((one) => !Object.values(pressedByKey).some((applies) => applies(one)))
    .map(({ name }) => name)
