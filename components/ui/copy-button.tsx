'use client'

import { clsx } from 'clsx'
import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from './browser/words.tsx'
import { Button, type ButtonVariant } from './button.tsx'

/**
 * The button copies `text` and says so. With `children` it has a label; without them it is an icon named by
 * `label`.
 */
export function CopyButton({
  text,
  label,
  variant = 'secondary',
  children,
  className,
  beside = false,
  onCopied,
}: {
  readonly text: string
  readonly label?: string
  readonly variant?: ButtonVariant
  readonly onCopied?: () => void
  readonly children?: ReactNode
  readonly className?: string
  /** `beside`: the button is beside the link of a row, which is the one that the Tab key reaches. */
  readonly beside?: boolean
}) {
  const { state, copy } = useCopy(onCopied)
  const Icon = state === 'copied' ? Check : Copy
  const words = useWords()
  const name = label ?? words('ui.copy')
  const said = state === 'copied' ? words('ui.copied') : state === 'refused' ? words('ui.notCopied') : null
  if (children) {
    return (
      <Button variant={variant} onClick={() => copy(text)} {...(className ? { className } : {})}>
        <Icon aria-hidden />
        <span aria-live="polite">{said ?? children}</span>
      </Button>
    )
  }
  return (
    <button
      type="button"
      aria-label={said ?? name}
      title={name}
      {...(beside ? { tabIndex: -1 } : {})}
      onClick={() => copy(text)}
      className={clsx(
        'touch-target relative inline-flex min-h-6 min-w-6 items-center justify-center rounded-md px-1 align-middle font-sans text-faint text-xs hover:bg-hover hover:text-text',
        state === 'copied' && 'text-done',
        className,
      )}
    >
      <Icon className="size-3.5" aria-hidden />
      <span aria-live="polite" className="not-empty:ml-1">
        {said}
      </span>
    </button>
  )
}

/** The button's name contains the id that it copies. */
export const CopyId = ({ id }: { readonly id: string }) => (
  <CopyButton text={id} label={useWords()('ui.copyThis', { what: id })} />
)

/** The hook copies to the clipboard and shows for two seconds whether that worked. */
function useCopy(onCopied?: () => void) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 2000)
    return () => clearTimeout(timer)
  }, [state])
  const copy = (text: string) =>
    writeText(text).then(
      () => {
        setState('copied')
        onCopied?.()
      },
      () => setState('refused'),
    )
  return { state, copy }
}

/** The clipboard exists only with HTTPS or on localhost; elsewhere this fails. */
async function writeText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}
