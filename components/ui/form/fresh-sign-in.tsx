'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { Freshness } from '#lib/identity/passkeys/confirm-with-passkey.ts'
import type { ActionState } from '#lib/platform/forms/action-state.ts'
import { useWords } from '../browser/words.tsx'
import { Button } from '../button.tsx'
import { Callout } from '../callout.tsx'
import { Skeleton } from '../skeleton.tsx'
import { signThen } from './ask-passkey.ts'
import { callAction } from './call-action.ts'
import { FreshSignIn, type FreshSignInActions } from './fresh-sign-in-actions.ts'
import { RefusalCallout, refusalOf } from './refusal-callout.tsx'
import { announceSignIn, onSignInElsewhere } from './tab-channel.ts'

/**
 * Shows a form that sends data elsewhere or shows a secret only after a sign-in of the last 15 minutes: whoever has
 * none proves first who they are, before anything is typed. The use case checks it too.
 */
export function AfterFreshSignIn({
  children,
  cancel,
  known,
}: {
  readonly children: ReactNode
  /** What the server found as it drew the page: nothing below moves when the browser has asked. */
  readonly known?: Freshness
  /** The way out where nothing else closes what this stands in. */
  readonly cancel?: ReactNode
}) {
  const actions = useContext(FreshSignIn)
  const { freshness, look } = useFreshness(actions, known)
  // Nobody looks again once the form is there: when the 15 minutes end, it asks by itself and keeps what was typed.
  const passed = opensForms(freshness)
  useEffect(() => (passed ? undefined : onSignInElsewhere(look)), [passed, look])
  const asking = actions !== null && freshness === 'asking'
  // The form is there before it may be filled in, and so is the room that it takes.
  if (passed || actions === null || asking)
    return (
      <div className={asking ? 'relative' : 'contents'} aria-busy={asking}>
        <div inert={asking} className={asking ? 'invisible' : 'contents'}>
          {children}
        </div>
        {asking && <Skeleton className="absolute inset-0" />}
      </div>
    )
  return (
    <div className="grid gap-3">
      <p className="text-sm">
        <span className="font-label">Confirm first that it is you.</span> This needs a sign-in of the last 15
        minutes.
      </p>
      <WaysToConfirm actions={actions} hasPasskey={typeof freshness === 'object' && freshness.hasPasskey} />
      {cancel && <div className="flex justify-end">{cancel}</div>}
    </div>
  )
}

/** Stands in a form that was refused because the sign-in is too old, or over; the form is sent again by itself. */
export function SignInAgainCallout({ className }: { readonly className?: string }) {
  const actions = useContext(FreshSignIn)
  const { freshness } = useFreshness(actions)
  const hasPasskey = typeof freshness === 'object' && freshness.hasPasskey
  const words = useWords()
  return (
    <Callout
      kind="warning"
      title={words('form.signInAgain')}
      {...(className ? { className } : {})}
      actions={<WaysToConfirm actions={actions} hasPasskey={hasPasskey} />}
    >
      {words('form.signInAgainNext')}
    </Callout>
  )
}

function WaysToConfirm({
  actions,
  hasPasskey,
}: {
  readonly actions: FreshSignInActions | null
  readonly hasPasskey: boolean
}) {
  const words = useWords()
  return (
    <div className="flex flex-wrap items-center gap-3">
      {hasPasskey && actions && <ConfirmWithPasskey actions={actions} />}
      <SignInLink>
        {hasPasskey ? 'Sign in another way, in a new tab' : words('form.signInInNewTab')}
      </SignInLink>
    </div>
  )
}

function ConfirmWithPasskey({ actions }: { readonly actions: FreshSignInActions }) {
  const act = useMemo(() => signThen(actions.begin, actions.confirm), [actions])
  const [state, setState] = useState<ActionState<Freshness> | 'asking'>({ kind: 'idle' })
  const confirm = async () => {
    setState('asking')
    const answer = await callAction(act, {})
    setState(answer)
    // Forms of this tab that wait for a sign-in hear it, too.
    if (answer.kind === 'done') announceSignIn()
  }
  const refusal = state === 'asking' ? null : refusalOf(state)
  return (
    <>
      <Button variant="primary" pending={state === 'asking'} onClick={confirm}>
        {state === 'asking' ? 'Waiting for your device…' : 'Use your passkey'}
      </Button>
      {refusal && <RefusalCallout refusal={refusal} className="order-last basis-full" />}
    </>
  )
}

/** Opens the sign-in in another tab, which closes itself. The tab has a name, because an unnamed one has no `opener`. */
function SignInLink({ children }: { readonly children: ReactNode }) {
  const here = `${usePathname()}?${useSearchParams()}`
  return (
    <a
      href={`/sign-in?again=1&next=${encodeURIComponent(here)}`}
      target="sign-in"
      className="text-sm underline hover:text-text"
    >
      {children}
    </a>
  )
}

/** `unknown` when the server could not say: the form then finds out when it is sent. */
type KnownFreshness = Freshness | 'asking' | 'unknown'

const opensForms = (freshness: KnownFreshness) =>
  freshness === 'unknown' || (typeof freshness === 'object' && freshness.fresh)

function useFreshness(actions: FreshSignInActions | null, known: KnownFreshness = 'asking') {
  const [freshness, setFreshness] = useState(known)
  const look = useCallback(async () => {
    if (actions === null) return
    const answer = await callAction(actions.status, {})
    // A page that renders itself again asks again: what is being typed stays, whatever the answer.
    setFreshness((before) => (opensForms(before) ? before : freshnessOf(answer)))
  }, [actions])
  useEffect(() => void look(), [look])
  return { freshness, look }
}

function freshnessOf(answer: ActionState<Freshness>): KnownFreshness {
  if (answer.kind === 'done') return answer.value
  return answer.kind === 'signed-out' ? { fresh: false, hasPasskey: false } : 'unknown'
}
