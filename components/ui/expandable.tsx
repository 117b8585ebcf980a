'use client'

import { clsx } from 'clsx'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { useEscape } from './browser/row-keys.tsx'

/** A press anywhere on the line opens its details, except on a control in the line. */
export function Expandable({
  label,
  line,
  children,
}: {
  /** `label` names the details. */
  readonly label: string
  readonly line: ReactNode
  readonly children: ReactNode
}) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const all = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  useEscape(open, close, all)
  return (
    <div ref={all}>
      <div className="relative -mx-1.5 flex stacked:gap-0 items-start gap-2 rounded-md px-1.5 hover:bg-hover pointer-coarse:min-h-10">
        <div className="min-w-0 flex-1 [&_:is(a,button)]:relative [&_:is(a,button)]:z-10">{line}</div>
        <button
          ref={button}
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          aria-label={label}
          title={label}
          onClick={() => setOpen(!open)}
          className="row-link grid size-6 shrink-0 place-items-center rounded-md text-faint"
        >
          <ChevronRight className={clsx('size-4 transition-transform', open && 'rotate-90')} aria-hidden />
        </button>
      </div>
      {open && (
        <div id={id} className="mt-2 mb-1 grid grid-cols-[minmax(0,1fr)] gap-4">
          {children}
        </div>
      )}
    </div>
  )
}
