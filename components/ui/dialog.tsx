'use client'

import {
  type ComponentProps,
  cloneElement,
  createContext,
  type ReactElement,
  type ReactNode,
  Suspense,
  useContext,
  useState,
} from 'react'
import { loadLater } from './browser/loaded-later.ts'
import { Button } from './button.tsx'
import type { DialogContent } from './dialog-panel.tsx'

export interface DialogProps extends DialogContent {
  /** Left out, the dialog knows by itself whether it is open. */
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  /** The button that opens it. */
  readonly trigger?: ReactElement<ComponentProps<'button'>>
}

/** A dialog over the page: focus stays inside, Escape and a click beside it close it. */
export const Dialog = (props: DialogProps) => <OpensPanel {...props} asks={false} />

/** What most openings of a page never want, fetched when somebody is about to open it. */
const { Later: Panel, prepare } = loadLater(async () => (await import('./dialog-panel.tsx')).DialogPanel)

/** The button that opens a dialog, and the dialog once it is open. */
export function OpensPanel({
  open,
  onOpenChange,
  trigger,
  ...panel
}: DialogProps & { readonly asks: boolean }) {
  const [ownOpen, setOwnOpen] = useState(false)
  const [opener, setOpener] = useState<HTMLElement | null>(null)
  const isOpen = open ?? ownOpen
  const change = (next: boolean) => {
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
        <CloseContext value={() => change(false)}>
          <Suspense>
            <Panel {...panel} opener={opener} onClose={() => change(false)} />
          </Suspense>
        </CloseContext>
      )}
    </>
  )
}

const CloseContext = createContext(() => {})

/** A button in a dialog that closes it. */
export function DialogClose(button: Omit<ComponentProps<typeof Button>, 'onClick'>) {
  return <Button {...button} onClick={useContext(CloseContext)} />
}

/**
 * The row of buttons at a dialog's end, the one that goes on last. It stays in sight while a form that is higher than the window
 * scrolls behind it, unless the window is so low that it would leave the form too little room.
 */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return (
    <div className="high:sticky relative bottom-0 -mx-5 mt-1 -mb-5 flex flex-wrap items-center justify-end gap-2 rounded-b-xl bg-raised px-5 pt-4 pb-5 before:pointer-events-none before:absolute before:inset-x-0 before:bottom-full before:h-2 before:bg-linear-to-t before:from-raised in-[form]:-mt-2">
      {children}
    </div>
  )
}
