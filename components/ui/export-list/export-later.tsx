'use client'

import { type ComponentProps, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { loadLater } from '../browser/loaded-later.ts'
import { Button } from '../button.tsx'
import type { ExportList as Export } from './export-list.tsx'

const { Later: ExportList, prepare } = loadLater(async () => (await import('./export-list.tsx')).ExportList)

/** The button exports the list as a file. Its dialog is fetched when somebody is about to press the button. */
export function ExportLater(props: ComponentProps<typeof Export>) {
  const [pressed, setPressed] = useState(false)
  const button = (
    <Button
      aria-haspopup="dialog"
      aria-expanded={pressed}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={() => setPressed(true)}
    >
      Export…
    </Button>
  )
  if (!pressed) return button
  return (
    <Suspense fallback={button}>
      <PressedOnce>
        <ExportList {...props} />
      </PressedOnce>
    </Suspense>
  )
}

/**
 * The place presses the button inside and gives it the focus, because the reader pressed the stand-in before the
 * button was there.
 */
function PressedOnce({ children }: { readonly children: ReactNode }) {
  const around = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const button = around.current?.querySelector('button')
    button?.focus()
    button?.click()
  }, [])
  return (
    <span ref={around} className="contents">
      {children}
    </span>
  )
}
