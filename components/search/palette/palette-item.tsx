'use client'

import { Command } from 'cmdk'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** A line of the palette. */
export function PaletteItem({
  value,
  icon: Icon,
  onSelect,
  detail,
  children,
}: {
  /** Tells it from all others. */
  readonly value: string
  readonly icon: LucideIcon
  readonly onSelect: () => void
  /** Quieter, at its end. */
  readonly detail?: string
  readonly children: ReactNode
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 py-1 text-sm pointer-coarse:min-h-10 data-[selected=true]:bg-hover data-[selected=true]:shadow-[inset_3px_0_0_var(--focus)]"
    >
      <Icon className="size-4 shrink-0 text-muted" aria-hidden />
      <span className="wrap-anywhere min-w-0 flex-1">{children}</span>
      {detail && <span className="wrap-anywhere max-w-[45%] shrink-0 text-muted text-xs">{detail}</span>}
    </Command.Item>
  )
}
