import { Lock } from 'lucide-react'
import { usePathname, useSearchParams } from 'next/navigation'
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { buttonClass } from '#components/ui/button-class.ts'
import { Callout } from '#components/ui/callout.tsx'
import { announceSignIn } from '#components/ui/form/tab-channel.ts'
import type { SignatureOptions } from '#lib/identity/passkeys/sign-in-with-passkey.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { SignOut } from './sign-out.tsx'
import type { SessionLockState } from './use-session-lock.ts'

/** With all that may be wrong with a sign-in, which hardly any page ever shows. */
const { Later: PasskeySignIn } = loadLater(
  async () => (await import('../sign-in/passkey-sign-in.tsx')).PasskeySignIn,
)

export interface LockedPageProps {
  /** Whose page it is. */
  readonly name: string
  /** Null where there are no passkeys. */
  readonly beginPasskey: Action<SignatureOptions> | null
}

/** What is said before the lock, and what lies over a locked page. */
export function LockCover({ phase, lockAt, look, name, beginPasskey }: SessionLockState & LockedPageProps) {
  if (phase === 'open') return null
  if (phase === 'warning') return <Announcement lockAt={lockAt} />
  return createPortal(
    <LockedPage
      name={name}
      beginPasskey={beginPasskey}
      onSignedIn={() => {
        announceSignIn()
        void look()
      }}
    />,
    document.body,
  )
}

/** Any use of the page makes it go away. It cannot be clicked: an open dialog would close. */
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
      // What is hidden takes no focus, and `SessionLock` shows it again only after this.
      document.body.toggleAttribute('data-locked', false)
      // A dialog that Escape closed meanwhile could not give it back to a page that was hidden.
      if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      data-lock
      aria-labelledby="locked-title"
      // Escape would leave the page open to whoever stands there.
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
            {name}, this page was not used for a while, or you have been signed in for long. Sign in again to
            go on where you were; what you typed is kept.
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

/** Counts down by the second. */
function useSecondsUntil(time: number): number {
  const [left, setLeft] = useState(() => time - Date.now())
  useEffect(() => {
    const timer = setInterval(() => setLeft(time - Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [time])
  return Math.max(0, Math.ceil(left / 1_000))
}
