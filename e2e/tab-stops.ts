/** Under which a test of `npm run prove -- screens` notes how many controls the keyboard reached. */
export const reachedByKeyboard = 'reached by keyboard'

/** What keeps the focus inside while it is open. A popover does not. */
export const openDialog = 'dialog:modal, [role=dialog]:not([popover]), [role=alertdialog]:not([popover])'

/** How many presses of Tab lead from one stop to another, past the last of them where need be; -1 stands before the first. */
export const pressesBetween = (from: number, to: number, stops: number): number =>
  to > from ? to - from : stops - from + to

/** Something that can be used, or that had the focus. Groups, boxes and rows are named by what tells them apart on the page. */
export interface Control {
  /** For people: its tag and its words. */
  readonly name: string
  readonly role: string | null
  readonly tabIndex: number
  /** Of radio buttons. */
  readonly group: string | null
  /** The list box, menu, list of tabs or group of radio buttons that it stands in, or that the field steers. */
  readonly box: string | null
  /** The row that it stands in, where the whole of that is a link. */
  readonly row: string | null
  readonly isRowLink: boolean
}

/** Where the field's patterns make several controls one Tab stop: how the others are reached, and what they have in common. */
const sharedStops: Readonly<Record<string, (control: Control) => string | null>> = {
  'arrow keys choose among radio buttons of one name': ({ group }) => group,
  'arrow keys walk what stands in the box; the focus is on one of it, or in the field (aria-activedescendant)':
    ({ box }) => box,
  '→ leads from the link of a row to what else stands there, as the page of the row has it (decision 0074)':
    ({ row, isRowLink, tabIndex }) => (isRowLink || tabIndex < 0 ? row : null),
}

/** What shows without a ring that it has the focus. */
const ringless: Readonly<Record<string, (control: Control) => boolean>> = {
  'the caret stands in the palette’s field, the only stop there': ({ role, box }) =>
    role === 'combobox' && box !== null,
}

/** The names of controls that Tab did not reach, by their place in the list. */
export function findUnreached(controls: readonly Control[], reached: ReadonlySet<number>): string[] {
  const isShared = (control: Control) =>
    Object.values(sharedStops).some((shared) => {
      const stop = shared(control)
      return stop !== null && controls.some((other, at) => reached.has(at) && shared(other) === stop)
    })
  return controls.filter((one, at) => !reached.has(at) && !isShared(one)).map(({ name }) => name)
}

/** Whether somebody sees that it has the focus, though it shows no ring. */
export const needsNoRing = (control: Control): boolean =>
  Object.values(ringless).some((applies) => applies(control))

/** No field has more places within itself that Tab stops at: a date with its time, and the button of its calendar. */
const mostInnerStops = 8

/**
 * Whether Tab has come round: something has the focus again after something else had it, or it stays where it is. Each press
 * is told by the number of what then had the focus, or null.
 */
export function hasComeRound(presses: readonly (number | null)[]): boolean {
  const steps = presses.filter((one, at) => one !== null && one !== presses[at - 1])
  const tail = presses.slice(-mostInnerStops - 1)
  return new Set(steps).size < steps.length || (tail.length > mostInnerStops && new Set(tail).size === 1)
}

/** What does something when it is clicked. */
export interface Clickable {
  readonly name: string
  readonly tag: string
  readonly role: string | null
  readonly tabIndex: number
  /** The browser itself clicks it when a key is pressed. */
  readonly isNative: boolean
  readonly hearsKeys: boolean
}

/** What a key does as well as a click. */
const pressedByKey: Readonly<Record<string, (clickable: Clickable) => boolean>> = {
  'a button, a link or a field: the browser does it': ({ isNative }) => isNative,
  'it has a role, a Tab stop and keys of its own': ({ role, tabIndex, hearsKeys }) =>
    role !== null && tabIndex >= 0 && hearsKeys,
  'the field of its list box takes the keys': ({ role }) => role === 'option',
  'a click beside a dialog closes it, as Escape does': ({ tag }) => tag === 'dialog',
}

/** The names of those that no key presses. */
export const findMouseOnly = (clickables: readonly Clickable[]): string[] =>
  clickables
    .filter((one) => !Object.values(pressedByKey).some((applies) => applies(one)))
    .map(({ name }) => name)
