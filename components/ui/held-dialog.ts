import { createContext, useContext, useLayoutEffect } from 'react'
import { keepPage } from './form/leave-guard.ts'

/** The dialog gives this to its content: while it is held, nothing closes it. */
export const HoldDialog = createContext<(held: boolean) => void>(() => {})

/**
 * The dialog around a form, if any, is held while the form is under way: closing it would look like a stop, and lose
 * what the answer shows once. The page does not refresh itself meanwhile, for the same reason.
 */
export function useHeldDialog(pending: boolean): void {
  const hold = useContext(HoldDialog)
  // The dialog is free together with what the answer shows: a key pressed at once counts.
  useLayoutEffect(() => {
    hold(pending)
    return () => hold(false)
  }, [hold, pending])
  useLayoutEffect(() => (pending ? keepPage() : undefined), [pending])
}
