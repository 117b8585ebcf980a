'use client'

import { clsx } from 'clsx'
import { setNonce } from 'get-nonce'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { findField, focusFieldOnceThere } from './browser/focus.ts'
import { isComposing } from './browser/row-keys.tsx'
import { buttonClass } from './button.tsx'

/** Every kind of dialog has this content. */
export interface DialogContent {
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly children: ReactNode
  readonly width?: 'sm' | 'md' | 'lg'
}

/** The dialog is open: the focus stays inside, and returns to `opener` when it is closed. */
export function DialogPanel({
  asks,
  opener,
  held,
  onClose,
  title,
  description,
  children,
  width = 'md',
}: DialogContent & {
  /** `asks`: the dialog asks a question, so only an answer or Escape closes it. */
  readonly asks: boolean
  /** `opener` is null for the element that had the focus before. */
  readonly opener: HTMLElement | null
  /** `held`: nothing closes the dialog for now. */
  readonly held: boolean
  readonly onClose: () => void
}) {
  const [before] = useState(() => opener ?? document.activeElement)
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content
          {...(asks ? { role: 'alertdialog' } : {})}
          onInteractOutside={(event) => asks && event.preventDefault()}
          onEscapeKeyDown={(event) => isComposing(event) && event.preventDefault()}
          onOpenAutoFocus={focusFirstField}
          // Tab gives the focus without scrolling to it when it starts again at the top.
          onFocus={({ target }) =>
            target.matches(':focus-visible') && target.scrollIntoView({ block: 'nearest' })
          }
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (before instanceof HTMLElement) before.focus()
          }}
          className={clsx(panelClass, widths[width])}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="font-heading text-lg tracking-[-0.012em]">{title}</Radix.Title>
            {!asks && (
              <Radix.Close
                className={clsx(buttonClass({ variant: 'ghost', size: 'sm', square: true }), '-mt-0.5 -mr-1')}
                aria-label="Close"
                disabled={held}
              >
                <X aria-hidden />
              </Radix.Close>
            )}
          </div>
          {description && (
            <Radix.Description asChild>
              <div className="mt-1.5 text-muted text-sm">{description}</div>
            </Radix.Description>
          )}
          <div className="mt-4 pb-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

// The overlay is as high as a panel, so a panel that opens over another dims it.
export const overlayClass = 'fixed inset-0 z-50 bg-overlay'

const panelClass =
  'fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 ' +
  'overflow-y-auto high:scroll-pb-18 rounded-xl bg-raised px-5 pt-5 shadow-float outline-none'

const widths = { sm: 'max-w-sm', md: 'max-w-lg', lg: 'max-w-2xl' } as const

/**
 * An open dialog’s focus goes to the first field that can be filled in, also when the form appears only after a
 * confirmation. It is for Radix's `onOpenAutoFocus`, which otherwise chooses the first button.
 */
export function focusFirstField(opened: Event): void {
  const panel = opened.currentTarget
  if (!(panel instanceof HTMLElement)) return
  const field = findField(panel)
  if (field) {
    opened.preventDefault()
    field.focus()
    return
  }
  // Without this, the focus would stay on the page behind the dialog.
  if (![...panel.querySelectorAll('a[href], button:enabled')].some((one) => !one.closest('[inert]'))) {
    opened.preventDefault()
    panel.focus()
  }
  // Radix focuses this button as soon as the function returns.
  let given: Element | null = null
  queueMicrotask(() => {
    given = document.activeElement
  })
  focusFieldOnceThere(panel, () => isBusyIn(panel, given))
}

/** The reader has moved on to something else in the dialog, away from the button that was focused as it opened. */
function isBusyIn(panel: HTMLElement, given: Element | null): boolean {
  const { activeElement } = document
  return activeElement !== panel && activeElement !== given && panel.contains(activeElement)
}

// Radix adds a style while a dialog is open, which keeps the page behind it from scrolling. The page's policy
// accepts only styles with its nonce, which the page's scripts have: the attribute is hidden, the property is not.
if (typeof document !== 'undefined') {
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce
  if (nonce) setNonce(nonce)
}
