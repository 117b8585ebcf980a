'use client'

import type { ClipboardEvent, ReactNode } from 'react'

/** The text is shown in pieces that a copy by hand would part. A selection of anything more is copied as it is. */
export function CopiedWhole({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  const onCopy = (event: ClipboardEvent<HTMLElement>) => {
    const selected = getSelection()
    if (!selected?.rangeCount) return
    if (!event.currentTarget.contains(selected.getRangeAt(0).commonAncestorContainer)) return
    event.clipboardData.setData('text/plain', text)
    event.preventDefault()
  }
  return (
    <span className="contents" onCopy={onCopy}>
      {children}
    </span>
  )
}
