'use client'

import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { buttonClass } from './button.tsx'
import { focusFirstField } from './focus-first-field.ts'
import './style-nonce.ts'

export const DialogClose = Radix.Close

/** A dialog over the page: focus stays inside, Escape and a click beside it close it. */
export function Dialog({
  open,
  onOpenChange,
  trigger,
  title,
  description,
  children,
  width = 'md',
}: {
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  /** The button that opens it. */
  readonly trigger?: ReactNode
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly children: ReactNode
  readonly width?: 'sm' | 'md' | 'lg'
}) {
  return (
    <Radix.Root
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange === undefined ? {} : { onOpenChange })}
    >
      {trigger && <Radix.Trigger asChild>{trigger}</Radix.Trigger>}
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content
          onOpenAutoFocus={focusFirstField}
          className={clsx(panelClass, widths[width])}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="font-heading text-lg tracking-[-0.012em]">{title}</Radix.Title>
            <Radix.Close
              className={clsx(buttonClass({ variant: 'ghost', size: 'sm', square: true }), '-mt-0.5 -mr-1')}
              aria-label="Close"
            >
              <X aria-hidden />
            </Radix.Close>
          </div>
          {description && (
            <Radix.Description className="mt-1 text-muted text-sm">{description}</Radix.Description>
          )}
          <div className="mt-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The row of buttons at a dialog's end, the one that goes on last. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap items-center justify-end gap-2">{children}</div>
}

export const overlayClass = 'fixed inset-0 z-40 bg-overlay'

export const panelClass =
  'fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 ' +
  'overflow-y-auto rounded-xl bg-raised p-5 shadow-float outline-none'

const widths = { sm: 'max-w-sm', md: 'max-w-lg', lg: 'max-w-2xl' } as const
