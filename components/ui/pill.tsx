import { clsx } from 'clsx'
import { ArrowRight, Check, Clock, Pause, Undo2, X } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'

/** A status has its colour, its sign and its word, so that nobody needs to see colours. */
export function Pill({
  tone,
  children,
  className,
}: {
  readonly tone: Tone
  readonly children: ReactNode
  readonly className?: string
}) {
  const Icon = toneIcons[tone]
  return (
    <span
      data-tone={tone}
      className={clsx(
        'inline-flex max-w-full shrink-0 items-center gap-1.5 rounded-md bg-tone-bg py-0.5 pr-2 pl-1.5 font-strong text-tone text-xs leading-[1.45] transition-colors duration-300',
        className,
      )}
    >
      <Icon className="size-3.25 [stroke-width:2.4]" aria-hidden />
      {/* A pill in a table ends in “…”, because nothing there breaks into lines. */}
      <span
        title={typeof children === 'string' ? children : undefined}
        className="min-w-0 overflow-hidden text-ellipsis"
      >
        {children}
      </span>
    </span>
  )
}

/** Each tone has a sign. */
export const toneIcons = {
  wait: Clock,
  move: ArrowRight,
  held: Pause,
  done: Check,
  fail: X,
  back: Undo2,
} as const satisfies Record<Tone, ComponentType<{ className?: string }>>

/** The tag is a small remark with a border for something that is no status: "Sandbox", a role, a subType. */
export function Tag({ children, className }: { readonly children: ReactNode; readonly className?: string }) {
  return (
    <span
      className={clsx(
        'inline-flex max-w-full shrink-0 items-center rounded-md border border-line-strong px-2 py-0.5 font-label text-muted text-xs leading-[1.35]',
        className,
      )}
    >
      {children}
    </span>
  )
}
