import { clsx } from 'clsx'
import type { ComponentProps, ComponentType, ReactNode } from 'react'
import { Card } from './card.tsx'

/** The empty state says what will appear here, and has the one button that makes it appear. */
export function EmptyState({
  icon: Icon,
  heading: Heading = 'h2',
  title,
  children,
  action,
}: {
  readonly icon?: ComponentType<{ className?: string }>
  /** The heading is `h1` when the page says nothing else. */
  readonly heading?: 'h1' | 'h2'
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-14 text-center">
      {Icon && (
        <span className="mb-4 grid size-11 place-items-center rounded-xl border bg-bg text-muted">
          <Icon className="size-5" />
        </span>
      )}
      <Heading className="font-heading text-base">{title}</Heading>
      {children && <div className="mt-1.5 text-balance text-muted text-sm">{children}</div>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

/** The page's thing does not exist. The text says so and leads on. */
export function NotFound({
  heading = 'Not found',
  ...state
}: Omit<ComponentProps<typeof EmptyState>, 'heading'> & { readonly heading?: string }) {
  return (
    <Card>
      <h1 className="sr-only">{heading}</h1>
      <EmptyState {...state} />
    </Card>
  )
}

/** The skeleton takes the place of a text, in its size, so that nothing jumps when the text comes. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={clsx('block animate-breathe rounded-md bg-line', className)} />
}
