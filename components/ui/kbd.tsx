import type { ReactNode } from 'react'

export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-block min-w-[1.35rem] rounded-[5px] border bg-bg px-1.5 text-center font-[500] font-mono text-2xs text-muted leading-[1.5]">
      {children}
    </kbd>
  )
}
