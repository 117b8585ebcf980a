'use client'

import { type ReactNode, useState } from 'react'
import type { Visibility } from '#lib/access/rules/visibility.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { focusIfLost } from '../browser/focus.ts'
import { Button } from '../button.tsx'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { useFormAction } from '../form/use-form-action.ts'
import { JsonView } from '../json-view.tsx'
import { RevealButton } from './reveal.tsx'

type RevealBody = Action<{ readonly body: string }>

/** The body is shown as the reader's role sees it, with the way to the whole body below. */
export function EventBody({
  event: { id, body, wholeBody, bodyLeft },
  label,
  reveal,
}: {
  readonly event: {
    readonly id: string
    readonly body: string | null
    readonly wholeBody: Visibility
    readonly bodyLeft: 'shortened' | 'lost' | null
  }
  readonly label: string
  readonly reveal: RevealBody
}) {
  return (
    <WholeBody id={id} wholeBody={wholeBody} label={label} reveal={reveal}>
      {bodyLeft !== null && (
        <p className="text-muted text-sm">
          {bodyLeft === 'lost'
            ? 'The body was removed. The fields above are kept.'
            : 'The original body was removed. These fields are kept.'}
        </p>
      )}
      {bodyLeft === 'lost' ? null : body !== null ? (
        <JsonView text={body} label={label} />
      ) : (
        <p className="text-muted text-sm">
          {wholeBody === 'hidden' || bodyLeft !== null
            ? 'Only compliance and admins can read it.'
            : 'It is not a JSON object, so it cannot be shown field by field.'}
        </p>
      )}
    </WholeBody>
  )
}

/** The reader can ask for the whole body, which then replaces the children. */
export function WholeBody({
  id,
  wholeBody,
  label,
  reveal,
  children,
}: {
  /** The id is that of an event, or of a dead letter. */
  readonly id: string
  readonly wholeBody: Visibility
  readonly label: string
  readonly reveal: RevealBody
  readonly children?: ReactNode
}) {
  const [whole, setWhole] = useState<string | null>(null)
  if (whole !== null)
    return (
      <div ref={focusIfLost} tabIndex={-1}>
        <JsonView text={whole} label={label} />
      </div>
    )
  const show = ({ body }: { readonly body: string }) => setWhole(body)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 *:min-w-0">
      {children}
      <div>
        {wholeBody === 'reveal' && (
          <RevealButton label="Show as it came" action={reveal} fields={{ event: id }} onDone={show} />
        )}
        {wholeBody === 'plain' && <ShowAtOnce id={id} reveal={reveal} onDone={show} />}
      </div>
    </div>
  )
}

/** The role needs no reason; the audit records the reveal all the same. */
function ShowAtOnce({
  id,
  reveal,
  onDone,
}: {
  readonly id: string
  readonly reveal: RevealBody
  readonly onDone: (value: { readonly body: string }) => void
}) {
  const { state, pending, form } = useFormAction(reveal, onDone)
  return (
    <form {...form}>
      <input type="hidden" name="event" value={id} />
      <Button size="sm" type="submit" pending={pending}>
        Show as it came
      </Button>
      <ActionOutcome state={state} className="mt-2" />
    </form>
  )
}
