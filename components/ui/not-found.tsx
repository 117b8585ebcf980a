import type { ComponentProps } from 'react'
import { Card } from './card.tsx'
import { EmptyState } from './empty-state.tsx'

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
