'use client'

import type { ReactNode } from 'react'
import { useWords } from './browser/words.tsx'
import { DialogClose, type DialogProps, OpensPanel } from './dialog.tsx'

/** The button closes the dialog without doing anything. */
export function AlertDialogCancel({ children }: { readonly children?: ReactNode }) {
  const words = useWords()
  return <DialogClose>{children ?? words('form.cancel')}</DialogClose>
}

/**
 * The dialog asks before something that cannot simply be undone. Only its buttons and Escape close it, and
 * nothing does while its form is under way. `title` names the action and the thing ("Delete “Ledger backend”?"), and
 * `description` says what follows. `children` are the form with its reason, `AlertDialogCancel`, and the button that acts.
 */
export const AlertDialog = (props: DialogProps & { readonly description: ReactNode }) => (
  <OpensPanel {...props} asks />
)
