import { Lock } from 'lucide-react'
import { usePathname, useSearchParams } from 'next/navigation'
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { buttonClass } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { announceSignIn } from '#components/ui/form/tab-channel.ts'
import type { SignatureOptions } from '#lib/identity/passkeys/verify-passkey.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { SignOut } from './sign-out.tsx'
import type { SessionLockState } from './use-session-lock.ts'

/** The passkey sign-in has all its error messages, and hardly any page ever shows it, so it loads later. */
const { Later: PasskeySignIn } = loadLater(
  async () => (await import('../sign-in/passkey-sign-in.tsx')).PasskeySignIn,
)

export interface LockedPageProps {
  /** The page belongs to this person. */
  readonly name: string
  /** `beginPasskey` is null when there are no passkeys. */
  readonly beginPasskey: Action<SignatureOptions> | null
}

/** The cover announces the lock, and then hides the locked page. */
export function LockCover({ phase, lockAt, check, name, beginPasskey }: SessionLockState & LockedPageProps) {
  if (phase === 'open') return null
  if (phase === 'warning') return <Announcement lockAt={lockAt} />
  return createPortal(
    <LockedPage
      name={name}
      beginPasskey={beginPasskey}
      onSignedIn={() => {
        announceSignIn()
        void check()
      }}
    />,
    document.body,
  )
}

/** Any use of the page removes the announcement. It cannot be clicked, because a click would close an open dialog. */
function Announcement({ lockAt }: { readonly lockAt: number }) {
  const seconds = useSecondsUntil(lockAt)
  const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return (
    <div className="pointer-events-none fixed inset-x-4 bottom-4 z-60 mx-auto max-w-md rounded-panel bg-raised shadow-float">
      <p role="alert" className="sr-only">
        This page is locked in two minutes, unless you use it.
      </p>
      <Callout kind="warning" title={`Locked in ${left}, unless you go on`}>
        Move the pointer or press a key to stay. What you typed is kept in any case.
      </Callout>
    </div>
  )
}

function LockedPage({
  name,
  beginPasskey,
  onSignedIn,
}: LockedPageProps & { readonly onSignedIn: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const here = `${usePathname()}?${useSearchParams()}`
  useLayoutEffect(() => {
    const { current } = dialog
    const { activeElement } = document
    if (current && !current.open) current.showModal()
    return () => {
      current?.close()
      // A hidden element takes no focus, and `SessionLock` shows the page again only after this effect.
      document.body.toggleAttribute('data-locked', false)
      // A dialog that Escape closed meanwhile could not return the focus to a hidden page.
      if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      data-lock
      aria-labelledby="locked-title"
      // Escape would show the page to anybody in front of it.
      onCancel={(event) => event.preventDefault()}
      onClose={(event) => event.currentTarget.isConnected && event.currentTarget.showModal()}
      className="pointer-events-auto m-0 grid size-full max-h-none max-w-none place-items-center bg-bg p-4 text-text"
    >
      <div className="grid w-full max-w-sm gap-5 rounded-2xl border bg-surface p-6 text-center">
        <div>
          <Lock className="mx-auto mb-3 size-6 text-muted" aria-hidden />
          <h2 id="locked-title" className="font-heading text-lg">
            Locked
          </h2>
          <p className="mt-1.5 text-muted text-sm">
            {name}, your session was idle or long. Sign in again to continue; what you typed is kept.
          </p>
        </div>
        <div className="grid gap-2.5">
          {beginPasskey && (
            <Suspense>
              <PasskeySignIn
                begin={beginPasskey}
                onSignedIn={onSignedIn}
                label="Unlock with your passkey"
                variant="primary"
                autoFocus
              />
            </Suspense>
          )}
          <a
            href={`/sign-in?again=1&next=${encodeURIComponent(here)}`}
            target="sign-in"
            className={buttonClass({})}
          >
            {beginPasskey ? 'Sign in another way, in a new tab' : 'Sign in again in a new tab'}
          </a>
          <SignOut className={buttonClass({ variant: 'ghost' })}>Sign out</SignOut>
        </div>
      </div>
    </dialog>
  )
}

function useSecondsUntil(time: number): number {
  const [left, setLeft] = useState(() => time - Date.now())
  useEffect(() => {
    const timer = setInterval(() => setLeft(time - Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [time])
  return Math.max(0, Math.ceil(left / 1_000))
}
