'use client'

import { type RefObject, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { type Control, isControl, isTickable, typeInto, wasUsed } from '../browser/controls.ts'
import { useWords } from '../browser/words.tsx'
import { Button } from '../button.tsx'
import { type Draft, draftKey, keepDraft, removeDraft, takeDraft } from './draft-store.ts'
import { DraftsOf } from './drafts.tsx'

export interface FormDraft {
  /** `restored`: the form's text was typed before the page was left or loaded again. */
  readonly restored: boolean
  /** `discard` returns to the form as it was. */
  readonly discard: () => void
  /** `end` is called when the form was sent: its present content is the new start. */
  readonly end: () => void
}

/**
 * The text of a form is kept until it is sent, so that going back, a link or a reload loses nothing (decision
 * 0078). `name` tells this form from others of its page; without it nothing is kept. `anyQuery`: the text stays when
 * only the query of the address changes.
 */
export function useDraft(
  form: RefObject<HTMLFormElement | null>,
  name: string | undefined,
  anyQuery = false,
): FormDraft {
  const person = useContext(DraftsOf)
  const [restored, setRestored] = useState(false)
  const first = useRef<Draft | null>(null)
  const key = useRef<string | null>(null)
  const filling = useRef(false)
  const stopFilling = useRef(() => {})

  useEffect(() => {
    const { current } = form
    if (current === null || person === null || name === undefined) return
    const page = anyQuery ? location.pathname : location.pathname + location.search
    const [here, ...earlier] = person.split(' ').map((tag) => draftKey(tag, page, name))
    if (here === undefined) return
    key.current = here
    first.current ??= readControls(current, firstStateOf)
    const kept = changesOf(takeDraft([here, ...earlier]) ?? [], first.current)
    if (kept.length > 0) {
      stopFilling.current = startFilling(current, kept, filling)
      setRestored(true)
    }
    const keep = () => {
      if (filling.current || key.current !== here) return
      stopFilling.current()
      const changes = changesOf(readControls(current), first.current ?? [])
      if (changes.length === 0) removeDraft(here)
      else keepDraft(here, changes)
    }
    // A button of the form may fill or tick something, which is no `input` event.
    const keepSoon = () => {
      if (!filling.current) setTimeout(keep, 0)
    }
    if (kept.length === 0) keep()
    current.addEventListener('input', keep)
    current.addEventListener('change', keep)
    current.addEventListener('click', keepSoon)
    return () => {
      stopFilling.current()
      current.removeEventListener('input', keep)
      current.removeEventListener('change', keep)
      current.removeEventListener('click', keepSoon)
    }
  }, [form, person, name, anyQuery])

  const end = useCallback(() => {
    if (key.current !== null) removeDraft(key.current)
    if (form.current) first.current = readControls(form.current)
    setRestored(false)
  }, [form])

  const discard = useCallback(() => {
    stopFilling.current()
    filling.current = true
    if (form.current && first.current) resetControls(form.current, first.current)
    filling.current = false
    if (key.current !== null) removeDraft(key.current)
    setRestored(false)
  }, [form])

  return { restored, discard, end }
}

/**
 * The form is filled with its draft, and so are fields that a restored choice adds later. Returns a function that
 * stops this.
 */
function startFilling(form: HTMLFormElement, kept: Draft, filling: RefObject<boolean>): () => void {
  const filled = new WeakSet<Control>()
  let stopped = false
  const fill = () => {
    if (stopped) return
    filling.current = true
    fillControls(form, kept, filled)
    filling.current = false
  }
  const later = new MutationObserver(fill)
  later.observe(form, { childList: true, subtree: true })
  // React accepts no input in the middle of an effect, so the filling comes after it.
  queueMicrotask(fill)
  return () => {
    stopped = true
    later.disconnect()
  }
}

/** The line beside a form’s buttons says that the text was typed before, and can discard it. */
export function DraftLine({ draft: { restored, discard } }: { readonly draft: FormDraft }) {
  const words = useWords()
  return (
    <p role="status" className="mr-auto flex items-center gap-1 text-muted text-sm empty:hidden">
      {restored && (
        <>
          {`${words('form.draftRestored')} ·`}
          <Button size="sm" variant="ghost" className="-ml-1.5 underline" onClick={discard}>
            {words('form.discard')}
          </Button>
        </>
      )}
    </p>
  )
}

/**
 * A draft may hold the value of a control, but never a secret, a code, a file, or what the page itself has put into
 * the form.
 */
export const isDraftable = ({
  name,
  type,
  autocomplete,
}: {
  readonly name: string
  readonly type: string
  readonly autocomplete: string
}): boolean => name !== '' && !neverKept.has(type) && !/password|one-time-code|^cc-/.test(autocomplete)

const neverKept = new Set(['password', 'hidden', 'file', 'submit', 'button', 'reset', 'image'])

/** Each control of the form has its present value, or another state of it. */
const readControls = (form: HTMLFormElement, state = stateOf): Draft =>
  controlsOf(form).map((control) => [keyOf(control), state(control)])

/** Only changed values are kept, so that a draft undoes nothing that somebody else has changed. */
export const changesOf = (now: Draft, first: Draft): Draft =>
  now.filter(([control, value]) => valueIn(first, control) !== value)

/** Controls that were not filled before get their text as if somebody had typed it, so that React sees it too. */
function fillControls(form: HTMLFormElement, draft: Draft, filled: WeakSet<Control>): void {
  for (const control of controlsOf(form)) {
    if (filled.has(control)) continue
    filled.add(control)
    const kept = valueIn(draft, keyOf(control))
    if (kept !== undefined) put(control, kept)
  }
}

/** The first values return. A control that came later, such as a field of a choice, is emptied. */
function resetControls(form: HTMLFormElement, first: Draft): void {
  for (const control of controlsOf(form)) {
    const before = valueIn(first, keyOf(control))
    if (before !== undefined || control.type !== 'select-one') put(control, before ?? '')
  }
}

const controlsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter((element) => isControl(element)).filter(isDraftable)

const valueIn = (draft: Draft, key: string): string | undefined =>
  draft.find(([control]) => control === key)?.[1]

/** Checkboxes and radio buttons share a name, so their value tells them apart. */
const keyOf = (control: Control): string =>
  isTickable(control) ? `${control.name}=${control.value}` : control.name

const stateOf = (control: Control): string =>
  isTickable(control) ? (control.checked ? ticked : '') : control.value

/** A form as it was has nothing that somebody typed before the page’s scripts ran, or between that and this effect. */
function firstStateOf(control: Control): string {
  if (!wasUsed(control)) return stateOf(control)
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options]
    return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value ?? ''
  }
  return isTickable(control) ? (control.defaultChecked ? ticked : '') : control.defaultValue
}

const ticked = 'ticked'

/** A radio button is cleared only by another one. */
function put(control: Control, value: string): void {
  if (stateOf(control) === value) return
  if (!isTickable(control)) typeInto(control, value)
  else if (value === ticked || control.type === 'checkbox') control.click()
}
