'use client'

import { Menu, X } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { buttonClass } from '#components/ui/button.tsx'

/**
 * Narrow pages have the sidebar behind a button; it is drawn when it is first opened. The browser's own dialog
 * keeps the focus inside and closes on Escape.
 */
export function Drawer({ children }: { readonly children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [wasOpened, setWasOpened] = useState(false)
  const path = usePathname()
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes because the page has changed
  useEffect(() => dialog.current?.close(), [path])
  return (
    <>
      <button
        type="button"
        aria-label="Open navigation"
        onClick={() => {
          setWasOpened(true)
          dialog.current?.showModal()
        }}
        className={`${buttonClass({ variant: 'ghost', square: true })} -ml-2 lg:hidden`}
      >
        <Menu aria-hidden />
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape and the button inside close it, too */}
      <dialog
        ref={dialog}
        data-makes-way
        aria-label="Navigation"
        onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
        className="@container m-0 h-dvh max-h-none w-67.5 max-w-[85vw] bg-bg text-text shadow-float backdrop:bg-overlay open:animate-drawer"
      >
        {/* A page with large text gives it its own line, because there is no room beside the name. */}
        <button
          type="button"
          aria-label="Close navigation"
          onClick={() => dialog.current?.close()}
          className={`${buttonClass({ variant: 'ghost', square: true })} absolute top-3 right-2 @max-[12rem]:static @max-[12rem]:mt-2 @max-[12rem]:mr-2 @max-[12rem]:-mb-2 @max-[12rem]:ml-auto @max-[12rem]:flex`}
        >
          <X aria-hidden />
        </button>
        {wasOpened && children}
      </dialog>
    </>
  )
}
