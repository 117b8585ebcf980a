/** Something that the page beneath the palette offers by a button or a link of its own. */
export interface PageCommand {
  readonly name: string
  readonly element: HTMLElement
}

/**
 * What the open page marks as doing something: a control with `data-commands`, or the controls in a group with it. Its value
 * names them where their own words do not. Only what the page shows is among them, or has in a menu, so the role decides there.
 */
export function pageCommands(): PageCommand[] {
  const byName = new Map<string, PageCommand>()
  for (const element of document.querySelectorAll<HTMLElement>(controls)) {
    const name = element.closest<HTMLElement>('[data-commands]')?.dataset.commands || nameOf(element)
    if (name !== '' && isOffered(element) && !byName.has(name)) byName.set(name, { name, element })
  }
  return [...byName.values()]
}

/** Does what it does when it is pressed. */
export function runPageCommand(name: string): void {
  const element = pageCommands().find((command) => command.name === name)?.element
  element?.focus()
  element?.click()
}

/** Buttons that only open a menu say nothing by themselves: what is in it is listed instead. */
const controls = ['main [data-commands]', 'main [data-commands] *']
  .map((where) => `${where}:is(a[href], button:enabled:not([popovertarget]))`)
  .join(', ')

const isOffered = (element: HTMLElement) =>
  element.closest('[popover]') !== null || element.checkVisibility({ visibilityProperty: true })

/** As it is read out, without what is only seen. */
function nameOf(element: HTMLElement): string {
  const label = element.getAttribute('aria-label')
  if (label !== null) return label
  const copy = element.cloneNode(true)
  if (!(copy instanceof HTMLElement)) return ''
  for (const seen of copy.querySelectorAll('[aria-hidden=true]')) seen.remove()
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim()
}
