'use client'

import { clsx } from 'clsx'
import { AlertDialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useWords } from '../browser/words.tsx'
import { buttonClass } from './button.tsx'
import { overlayClass, panelClass } from './dialog.tsx'
import { focusFirstField } from './focus-first-field.ts'

/** Closes the dialog without doing anything. */
export function AlertDialogCancel({ children }: { readonly children?: ReactNode }) {
  const words = useWords()
  return <Radix.Cancel className={buttonClass({})}>{children ?? words('form.cancel')}</Radix.Cancel>
}

/**
 * Asks before something is done that cannot simply be undone. Only its buttons close it. `title` names the thing and
 * the action ("Delete “Ledger backend”?"), `description` says what follows from it.
 */
export function AlertDialog({
  open,
  onOpenChange,
  trigger,
  title,
  description,
  children,
}: {
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  readonly trigger?: ReactNode
  readonly title: ReactNode
  readonly description: ReactNode
  /** The form with its reason, `AlertDialogCancel` and the button that does it. */
  readonly children: ReactNode
}) {
  return (
    <Radix.Root
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange === undefined ? {} : { onOpenChange })}
    >
      {trigger && <Radix.Trigger asChild>{trigger}</Radix.Trigger>}
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content onOpenAutoFocus={focusFirstField} className={clsx(panelClass, 'max-w-lg')}>
          <Radix.Title className="font-heading text-lg tracking-[-0.012em]">{title}</Radix.Title>
          <Radix.Description asChild>
            <div className="mt-1.5 text-muted text-sm">{description}</div>
          </Radix.Description>
          <div className="mt-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
