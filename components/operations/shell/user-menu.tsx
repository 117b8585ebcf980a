import { clsx } from 'clsx'
import { KeyRound, LogOut } from 'lucide-react'
import type { ReactNode } from 'react'
import { SignOut } from '#components/identity/session/sign-out.tsx'
import { Avatar } from '#components/ui/avatar.tsx'
import type { Theme } from '#components/ui/browser/theme.ts'
import { Link } from '#components/ui/link.tsx'
import { AppearanceLater } from './appearance-later.tsx'

/**
 * The menu shows who is signed in, how pages look, and the way out. It is a popover of the browser, so Escape
 * closes it.
 */
export function UserMenu({
  name,
  detail,
  theme,
  ownSignIns,
  words = english,
  placed = 'right-gutter sm:right-7',
  children,
}: {
  readonly name: string
  /** `detail` is the role, or the address. */
  readonly detail: string
  readonly theme: Theme
  /** `ownSignIns` is the page of this person's sessions. */
  readonly ownSignIns: string
  /** `placed` sets the menu's right edge to that of the avatar, by the measures of the header. */
  readonly placed?: string
  /** The words are in the person's language. */
  readonly words?: { readonly menu: string; readonly signIns: string; readonly signOut: string }
  /** `children` are more choices, below those of appearance. */
  readonly children?: ReactNode
}) {
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label={`${name}: ${words.menu}`}
        className="touch-target relative rounded-full [anchor-name:--user-menu]"
      >
        <Avatar name={name} />
      </button>
      <div
        id={id}
        popover="auto"
        className={clsx(
          'fixed inset-auto top-14.5 m-0 max-h-[calc(100dvh-7rem)] w-64 max-w-[calc(100vw-2rem)] rounded-xl bg-raised p-1.5 text-sm text-text shadow-float open:animate-float',
          // The menu is below its button, wherever large text has put that, or else below a header of two lines.
          '@max-xs:top-24 supports-[top:anchor(bottom)]:top-[calc(anchor(bottom)+0.625rem)]! [position-anchor:--user-menu]',
          placed,
        )}
      >
        <div className="px-2 pt-1.5 pb-2">
          <p className="wrap-anywhere font-strong">{name}</p>
          <p className="wrap-anywhere text-muted text-xs">{detail}</p>
        </div>
        <AppearanceLater theme={theme} />
        {children}
        <div className="-mx-1.5 my-1.5 h-px bg-line" />
        <Link
          href={ownSignIns}
          className="flex min-h-8 items-center gap-2 rounded-md px-2 hover:bg-hover pointer-coarse:min-h-10"
        >
          <KeyRound className="size-4 text-muted" aria-hidden />
          {words.signIns}
        </Link>
        <SignOut className="flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover pointer-coarse:min-h-10">
          <LogOut className="size-4 text-muted" aria-hidden />
          {words.signOut}
        </SignOut>
      </div>
    </>
  )
}

const id = 'user-menu'

const english = { menu: 'account and appearance', signIns: 'Your sign-ins', signOut: 'Sign out' }
