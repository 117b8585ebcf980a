import type { ReactNode } from 'react'

export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-block min-w-[1.35rem] rounded-key border bg-bg px-1.5 text-center font-medium font-mono text-2xs text-muted leading-[1.5]">
      {children}
    </kbd>
  )
}
