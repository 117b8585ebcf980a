'use client'

import { useState } from 'react'
import { Button, type ButtonSize } from '#components/ui/button.tsx'
import { callAction } from '#components/ui/form/call-action.ts'
import { RefusalCallout, type RefusalText, refusalOf } from '#components/ui/form/refusal-callout.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The button opens the provider of single sign-on, which sends the browser back. */
export function SingleSignOnButton({
  begin,
  name,
  next,
  again = false,
  another = false,
  size = 'md',
  label = name,
}: {
  readonly begin: Action<{ readonly url: string }>
  /** Staff call the provider by this name. */
  readonly name: string
  readonly next: string | null
  /** `again`: a person who is signed in proves once more who they are. */
  readonly again?: boolean
  /** `another`: the provider asks for another account than the one it knows already. */
  readonly another?: boolean
  readonly size?: ButtonSize
  readonly label?: string
}) {
  const [going, setGoing] = useState(false)
  const [refusal, setRefusal] = useState<RefusalText | null>(null)
  const go = async () => {
    setGoing(true)
    setRefusal(null)
    const answer = await callAction(begin, { next, again, another })
    if (answer.kind === 'done') return window.location.assign(answer.value.url)
    setGoing(false)
    setRefusal(refusalOf(answer) ?? unreadable)
  }
  return (
    <div className="grid gap-3">
      <Button size={size} pending={going} onClick={go}>
        {going ? `Going to ${name}…` : label}
      </Button>
      {refusal && <RefusalCallout refusal={refusal} />}
    </div>
  )
}

const unreadable = { title: 'This could not be begun.', next: 'Reload the page and try again.' }
