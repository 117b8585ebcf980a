'use client'

import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { buttonClass } from './button-class.ts'
import { focusFirstField } from './focus-first-field.ts'
import './style-nonce.ts'

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
