'use client'

import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** A word about a button that shows only an icon. Never the only place where something is said. */
export function Tooltip({ text, children }: { readonly text: ReactNode; readonly children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={300}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-72 rounded-md bg-ink px-2 py-1 text-on-ink text-xs"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}
