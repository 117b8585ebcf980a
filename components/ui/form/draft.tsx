'use client'

import { type RefObject, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { type Control, isControl, isTickable, typeInto } from '../browser/controls.ts'
import { useWords } from '../browser/words.tsx'
import { Button } from '../button.tsx'
import { type Draft, draftKey, keepDraft, removeDraft, takeDraft } from './draft-store.ts'
import { DraftsOf } from './drafts.tsx'

export interface FormDraft {
  /** Whether what stands in the form was typed before the page was left or loaded again. */
  readonly restored: boolean
  /** Goes back to the form as it was. */
  readonly discard: () => void
  /** It was sent: what stands there now is where it starts. */
  readonly end: () => void
}

/**
 * Keeps what is typed into a form until it is sent, so that going back, a link or a reload loses nothing; see decision 0078.
 * @param name what tells this form from others of its page; without it nothing is kept
 */
export function useDraft(form: RefObject<HTMLFormElement | null>, name: string | undefined): FormDraft {
  const person = useContext(DraftsOf)
  const [restored, setRestored] = useState(false)
  const first = useRef<Draft | null>(null)
  const key = useRef<string | null>(null)
  const filling = useRef(false)
  const stopFilling = useRef(() => {})

  useEffect(() => {
    const { current } = form
    if (current === null || person === null || name === undefined) return
    const page = location.pathname + location.search
    const [here, ...earlier] = person.split(' ').map((tag) => draftKey(tag, page, name))
    if (here === undefined) return
    key.current = here
    first.current ??= readControls(current)
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
    // A button of the form may fill or tick something, which is no input.
    const keepSoon = () => {
      if (!filling.current) setTimeout(keep, 0)
    }
    current.addEventListener('input', keep)
    current.addEventListener('change', keep)
    current.addEventListener('click', keepSoon)
    return () => {
      stopFilling.current()
      current.removeEventListener('input', keep)
      current.removeEventListener('change', keep)
      current.removeEventListener('click', keepSoon)
    }
  }, [form, person, name])

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

/** Fills a form with its draft, and what a restored choice brings into it afterwards; answers how to stop. */
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
  // After the effect that asks for it: React takes no input in the middle of one.
  queueMicrotask(fill)
  return () => {
    stopped = true
    later.disconnect()
  }
}

/** Says beside a form’s buttons that what stands there was typed before, and takes it back. */
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
 * Whether a draft may hold what stands in a control: never a secret, a code, a file, or what the page itself has put into the
 * form.
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

/** What stands in each control of the form. */
const readControls = (form: HTMLFormElement): Draft =>
  controlsOf(form).map((control) => [keyOf(control), stateOf(control)])

/** What of it is not as it was first: only that is kept, so that a draft takes back nothing that another has changed. */
export const changesOf = (now: Draft, first: Draft): Draft =>
  now.filter(([control, value]) => valueIn(first, control) !== value)

/** Fills the controls that were not filled before, as if somebody had typed it, so that React knows it too. */
function fillControls(form: HTMLFormElement, draft: Draft, filled: WeakSet<Control>): void {
  for (const control of controlsOf(form)) {
    if (filled.has(control)) continue
    filled.add(control)
    const kept = valueIn(draft, keyOf(control))
    if (kept !== undefined) put(control, kept)
  }
}

/** Goes back to what stood there first; what came later, such as a field that a choice has brought, is emptied. */
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

/** Boxes and choices share a name. */
const keyOf = (control: Control): string =>
  isTickable(control) ? `${control.name}=${control.value}` : control.name

const stateOf = (control: Control): string =>
  isTickable(control) ? (control.checked ? ticked : '') : control.value

const ticked = 'ticked'

/** A choice goes away by another one. */
function put(control: Control, value: string): void {
  if (stateOf(control) === value) return
  if (!isTickable(control)) typeInto(control, value)
  else if (value === ticked || control.type === 'checkbox') control.click()
}
