'use client'

import type { ReactNode } from 'react'
import type { ActionState, Unanswered } from '#lib/platform/forms/action-state.ts'
import { useWords } from '../browser/words.tsx'
import { Button } from '../button.tsx'
import { Callout } from '../callout.tsx'

/**
 * The message says what was refused, why, and what to do next; or it says why there is no answer, with a text of
 * the catalogue.
 */
export type RefusalText = { readonly title: string; readonly next: string } | { readonly why: Unanswered }

/** The refusal is the answer of an action, or its missing answer. */
export const refusalOf = (state: ActionState<unknown>): RefusalText | null =>
  state.kind === 'refused' || state.kind === 'unanswered' ? state : null

/**
 * The callout says that something was refused, and what to do next. It is announced unless it is `neutral`, which
 * means that the person chose it.
 */
export function RefusalCallout({
  refusal,
  neutral = false,
  children,
  actions,
  ...rest
}: {
  readonly refusal: RefusalText
  readonly neutral?: boolean
  /** `children` follow what to do next. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
  readonly className?: string
}) {
  const words = useWords()
  const { title, next } =
    'why' in refusal
      ? {
          title: words(`form.unanswered.${refusal.why}.title`),
          next: words(`form.unanswered.${refusal.why}.next`),
        }
      : refusal
  const reload = 'why' in refusal && refusal.why === 'older-page' && (
    <Button size="sm" onClick={() => location.reload()}>
      {words('ui.error.reload')}
    </Button>
  )
  return (
    <Callout kind={neutral ? 'info' : 'error'} title={title} actions={reload || actions} {...rest}>
      {next}
      {children}
    </Callout>
  )
}
