'use client'

import { Ellipsis } from 'lucide-react'
import { type ReactNode, useId, useRef } from 'react'
import { buttonClass } from './button.tsx'
import { Link } from './link.tsx'

/** Rarely used items are behind "…". The menu is a popover of the browser, so Escape and a click beside it close it. */
export function MoreMenu({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const end = useRef(() => {})
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-label={label}
        title={label}
        className={buttonClass({ square: true })}
      >
        <Ellipsis aria-hidden />
      </button>
      <div
        id={id}
        popover="auto"
        onBeforeToggle={(event) => {
          if (event.newState === 'open' && button.current)
            end.current = keepBelow(event.currentTarget, button.current)
          else end.current()
        }}
        className="absolute inset-auto m-0 w-max min-w-[min(12rem,calc(100vw-1rem))] max-w-[calc(100vw-1rem)] rounded-xl bg-raised p-1.5 text-sm text-text shadow-float open:animate-float"
      >
        {children}
      </div>
    </>
  )
}

/** A line of the menu is a link. */
export const MoreMenuLink = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => (
  <Link
    href={href}
    className="flex min-h-8 items-center gap-2 rounded-md px-2 hover:bg-hover pointer-coarse:min-h-10 [&_svg]:size-4"
  >
    {children}
  </Link>
)

/**
 * The popover is about to open. It stays below its button and in the window, whatever changes its size or the
 * window's, until it is closed. Not every browser has CSS anchors, so this is code.
 */
export function keepBelow(menu: HTMLElement, button: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    placeBelow(menu, button)
    keepInside(menu)
  })
  observer.observe(menu)
  observer.observe(document.documentElement)
  return () => observer.disconnect()
}

/** The popover goes below its button, right edge at right edge. */
function placeBelow(menu: HTMLElement, button: HTMLElement): void {
  const { bottom, right } = button.getBoundingClientRect()
  menu.style.top = `${bottom + scrollY + 6}px`
  menu.style.right = `${Math.max(8, document.documentElement.clientWidth - right)}px`
}

/** An open popover moves to the right until its left edge is in the window. */
function keepInside(menu: HTMLElement): void {
  const { left } = menu.getBoundingClientRect()
  if (left < 8) menu.style.right = `${Number.parseFloat(menu.style.right) + left - 8}px`
}
