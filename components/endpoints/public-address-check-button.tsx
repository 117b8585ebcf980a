'use client'

import { CircleCheck } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { callAction } from '#components/ui/form/call-action.ts'
import type { PublicAddressCheck } from '#lib/endpoints/public-address-check.ts'
import { type Action, type ActionState, idle } from '#lib/platform/forms/action-state.ts'

/** The button calls this dashboard at its public address, and shows the result and what to do about it. */
export function PublicAddressCheckButton({ check }: { readonly check: Action<PublicAddressCheck> }) {
  const [state, setState] = useState<ActionState<PublicAddressCheck>>(idle)
  const refresh = useCallback(async () => {
    setState(idle)
    setState(await callAction(check, {}))
  }, [check])
  useEffect(() => void refresh(), [refresh])
  if (state.kind === 'idle') {
    return (
      <p role="status" className="text-muted text-sm">
        Calling this dashboard at its public address…
      </p>
    )
  }
  if (state.kind !== 'done') return <ActionOutcome state={state} />
  const { finding, url } = state.value
  if (finding === 'answers') {
    return (
      <p role="status" data-tone="done" className="flex gap-2 text-sm">
        <CircleCheck className="mt-[0.1875rem] size-4 shrink-0 text-tone" aria-hidden />
        <span className="text-muted">
          This dashboard answers at <span className="mono break-all">{url}</span>.
        </span>
      </p>
    )
  }
  const { title, next } = findingMessages[finding]
  return (
    <Callout
      kind="warning"
      title={title}
      actions={
        <Button size="sm" onClick={refresh}>
          Check again
        </Button>
      }
    >
      <p className="mono break-all">{url}</p>
      {next}
    </Callout>
  )
}

const findingMessages = {
  'not-https': {
    title: 'The provider delivers to https addresses only.',
    next: 'Set PUBLIC_URL to the https address of this dashboard, and start it again.',
  },
  internal: {
    title: 'Its public address leads into an internal network.',
    next: 'The provider may not reach it. Set PUBLIC_URL to an address of the open internet and start it again. If the name leads somewhere else from outside, go on.',
  },
  'unknown-host': {
    title: 'Its public address is not known.',
    next: 'Add the name to your DNS, or correct PUBLIC_URL and restart.',
  },
  certificate: {
    title: 'The certificate of its public address does not hold.',
    next: 'The provider may refuse to deliver to it. Renew the certificate, then check again.',
  },
  'no-answer': {
    title: 'Nobody answers at its public address.',
    next: 'Lead it to this dashboard: DNS, proxy, firewall. If only this machine cannot reach it, go on; the first delivery will show.',
  },
  'something-else': {
    title: 'Something else answers at its public address.',
    next: 'Have your proxy lead /api/webhooks/ to this dashboard, then check again.',
  },
} as const satisfies Record<
  Exclude<PublicAddressCheck['finding'], 'answers'>,
  { readonly title: string; readonly next: string }
>
