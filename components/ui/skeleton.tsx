import { clsx } from 'clsx'

/** The skeleton takes the place of a text, in its size, so that nothing jumps when the text comes. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={clsx('block animate-breathe rounded-md bg-line', className)} />
}
