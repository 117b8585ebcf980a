import { X } from 'lucide-react'
import type { ReactNode } from 'react'

/** Each active filter has a button that removes it, and one button removes all. Nothing is drawn without any. */
export function FilterTokens({
  tokens,
  onClear,
}: {
  readonly tokens: readonly FilterToken[]
  readonly onClear: () => void
}) {
  if (tokens.length === 0) return null
  return (
    <ul aria-label="Filters that hold" className="mb-3 flex flex-wrap items-center gap-1.5">
      {tokens.map(({ key, text, onRemove }) => (
        <li key={key} className="max-w-full">
          <button
            type="button"
            onClick={onRemove}
            className="inline-flex min-h-7.5 max-w-full items-center gap-1.5 rounded-control border border-line-control bg-hover py-0.5 pr-1.5 pl-2.5 text-left text-xs hover:border-muted pointer-coarse:min-h-10 print:inline-flex!"
          >
            <span>
              <span className="sr-only">Remove </span>
              {text}
            </span>
            <X className="size-3.5 shrink-0 text-muted" aria-hidden />
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          onClick={onClear}
          className="inline-flex min-h-7.5 items-center rounded-md px-2 text-muted text-xs hover:bg-hover hover:text-text pointer-coarse:min-h-10"
        >
          Clear all
        </button>
      </li>
    </ul>
  )
}

interface FilterToken {
  readonly key: string
  /** The text is "Status: On hold". */
  readonly text: ReactNode
  readonly onRemove: () => void
}
