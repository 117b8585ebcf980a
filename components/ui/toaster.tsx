'use client'

import { Toaster as Sonner } from 'sonner'

/**
 * Where short messages appear; `toast` of sonner sends them. Only layouts whose pages send some have it, since it is
 * no small piece of JavaScript. What must not be missed belongs in a `Callout`.
 */
export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'flex w-[22rem] max-w-[calc(100vw-2rem)] items-start gap-2.5 rounded-xl bg-raised p-3.5 text-sm text-text shadow-float',
          title: 'font-[570]',
          description: 'text-muted',
          success: '[&_[data-icon]]:text-done',
          error: '[&_[data-icon]]:text-fail',
          actionButton:
            'ml-auto shrink-0 rounded-md border border-line-strong px-2 py-0.5 font-[550] text-xs',
        },
      }}
    />
  )
}
