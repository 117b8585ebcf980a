'use client'

import { type RefObject, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { type Control, changesOf, fillControls, readControls, resetControls } from './draft-controls.ts'
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
