'use client'

import type { ReactNode } from 'react'
import { useWords } from './browser/words.tsx'
import { DialogClose, type DialogProps, OpensPanel } from './dialog.tsx'

/** Closes the dialog without doing anything. */
export function AlertDialogCancel({ children }: { readonly children?: ReactNode }) {
  const words = useWords()
  return <DialogClose>{children ?? words('form.cancel')}</DialogClose>
}

/**
 * Asks before something is done that cannot simply be undone. Only its buttons and Escape close it. `title` names the thing and
 * the action ("Delete “Ledger backend”?"), `description` says what follows from it; `children` are the form with its reason,
 * `AlertDialogCancel` and the button that does it.
 */
export const AlertDialog = (props: DialogProps & { readonly description: ReactNode }) => (
  <OpensPanel {...props} asks />
)
