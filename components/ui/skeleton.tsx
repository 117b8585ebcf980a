import { clsx } from 'clsx'

/** Stands where text will be, in its size, so that nothing jumps when it comes. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={clsx('block animate-breathe rounded-md bg-line', className)} />
}
