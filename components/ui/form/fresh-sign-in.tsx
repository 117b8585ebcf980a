'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { Freshness } from '#lib/identity/passkeys/verify-passkey.ts'
import type { ActionState } from '#lib/platform/forms/action-state.ts'
import { useWords } from '../browser/words.tsx'
import { Button } from '../button.tsx'
import { Callout } from '../callout.tsx'
import { Skeleton } from '../empty-state.tsx'
import { signThen } from './ask-passkey.ts'
import { callAction } from './call-action.ts'
import { FreshSignIn, type FreshSignInActions } from './fresh-sign-in-actions.ts'
import { RefusalCallout, refusalOf } from './refusal-callout.tsx'
import { announceSignIn, onSignInElsewhere } from './tab-channel.ts'

/**
 * A form that sends data elsewhere or shows a secret appears only after a sign-in of the last 15 minutes. A person
 * without one proves first who they are, before they type anything. The use case checks it too.
 */
export function AfterFreshSignIn({
  children,
  cancel,
  known,
}: {
  readonly children: ReactNode
  /** `known` is what the server found as it drew the page, so nothing below moves when the browser has asked. */
  readonly known?: Freshness
  /** `cancel` leaves the form when nothing else closes its place. */
  readonly cancel?: ReactNode
}) {
  const actions = useContext(FreshSignIn)
  const { freshness, check } = useFreshness(actions, known)
  // The form does not ask again once it is there. When the 15 minutes end, it asks for a sign-in by itself and
  // keeps the typed text.
  const passed = opensForms(freshness)
  useEffect(() => (passed ? undefined : onSignInElsewhere(check)), [passed, check])
  const asking = actions !== null && freshness === 'asking'
  // The form is there, with its room, before it may be filled in.
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

/** The form was refused because the sign-in is too old, or the session is over. It is sent again automatically. */
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
    // Forms of this tab that wait for a sign-in get it, too.
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

/**
 * The sign-in opens in another tab, which closes itself. The tab has a name, because an unnamed one has no
 * `opener`.
 */
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

/** `unknown`: the server could not say, so the form finds out when it is sent. */
type KnownFreshness = Freshness | 'asking' | 'unknown'

const opensForms = (freshness: KnownFreshness) =>
  freshness === 'unknown' || (typeof freshness === 'object' && freshness.fresh)

function useFreshness(actions: FreshSignInActions | null, known: KnownFreshness = 'asking') {
  const [freshness, setFreshness] = useState(known)
  const check = useCallback(async () => {
    if (actions === null) return
    const answer = await callAction(actions.status, {})
    // A page that renders again asks again. Typed text stays, whatever the answer.
    setFreshness((before) => (opensForms(before) ? before : freshnessOf(answer)))
  }, [actions])
  useEffect(() => void check(), [check])
  return { freshness, check }
}

function freshnessOf(answer: ActionState<Freshness>): KnownFreshness {
  if (answer.kind === 'done') return answer.value
  return answer.kind === 'signed-out' ? { fresh: false, hasPasskey: false } : 'unknown'
}
