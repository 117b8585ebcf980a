'use client'

import { type ComponentProps, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { loadLater } from '../browser/loaded-later.ts'
import { Button } from '../button.tsx'
import type { ExportList as Export } from './export-list.tsx'

const { Later: ExportList, prepare } = loadLater(async () => (await import('./export-list.tsx')).ExportList)

/** The button that takes the list away as a file. What it opens is fetched when somebody is about to press it. */
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

/** Presses the button inside, which stands where one was pressed before it was here, and takes over its focus. */
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
