'use client'

import {
  type ComponentProps,
  cloneElement,
  createContext,
  type ReactElement,
  type ReactNode,
  Suspense,
  useContext,
  useLayoutEffect,
  useState,
} from 'react'
import { loadLater } from './browser/loaded-later.ts'
import { Button } from './button.tsx'
import type { DialogContent } from './dialog-panel.tsx'
import { keepPage } from './form/leave-guard.ts'
import { HoldDialog } from './held-dialog.ts'

export interface DialogProps extends DialogContent {
  /** Without `open`, the dialog itself knows whether it is open. */
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  /** `trigger` is the button that opens the dialog. */
  readonly trigger?: ReactElement<ComponentProps<'button'>>
}

/** The dialog is over the page: the focus stays inside, and Escape or a click beside it closes it. */
export const Dialog = (props: DialogProps) => <OpensPanel {...props} asks={false} />

/** Most page views never open a dialog, so the panel is fetched when somebody is about to open it. */
const { Later: Panel, prepare } = loadLater(async () => (await import('./dialog-panel.tsx')).DialogPanel)

/** The button opens a dialog, which is drawn once it is open. */
export function OpensPanel({
  open,
  onOpenChange,
  trigger,
  ...panel
}: DialogProps & { readonly asks: boolean }) {
  const [ownOpen, setOwnOpen] = useState(false)
  const [opener, setOpener] = useState<HTMLElement | null>(null)
  const [held, setHeld] = useState(false)
  const isOpen = open ?? ownOpen
  // The refreshed page may not contain what was opened, while somebody types in it.
  useLayoutEffect(() => (isOpen ? keepPage() : undefined), [isOpen])
  const change = (next: boolean) => {
    if (held) return
    setOwnOpen(next)
    onOpenChange?.(next)
  }
  return (
    <>
      {trigger &&
        cloneElement(trigger, {
          'aria-haspopup': 'dialog',
          'aria-expanded': isOpen,
          onPointerEnter: prepare,
          onFocus: prepare,
          onClick: (event) => {
            setOpener(event.currentTarget)
            change(true)
          },
        })}
      {isOpen && (
        <HoldDialog value={setHeld}>
          <CloseContext value={{ close: () => change(false), held }}>
            <Suspense>
              <Panel {...panel} opener={opener} held={held} onClose={() => change(false)} />
            </Suspense>
          </CloseContext>
        </HoldDialog>
      )}
    </>
  )
}

const CloseContext = createContext({ close: () => {}, held: false })

/** The button is in a dialog and closes it. */
export function DialogClose(button: Omit<ComponentProps<typeof Button>, 'onClick' | 'disabled'>) {
  const { close, held } = useContext(CloseContext)
  return <Button {...button} disabled={held} onClick={close} />
}

/**
 * The buttons are at the end of a dialog; the last one is the one that acts. They stay visible while a form higher
 * than the window scrolls behind them, unless the window is so low that the form would have too little room.
 */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return (
    <div className="high:sticky relative bottom-0 -mx-5 mt-1 -mb-5 flex flex-wrap items-center justify-end gap-2 rounded-b-xl bg-raised px-5 pt-4 pb-5 before:pointer-events-none before:absolute before:inset-x-0 before:bottom-full before:h-2 before:bg-linear-to-t before:from-raised in-[form]:-mt-2">
      {children}
    </div>
  )
}
