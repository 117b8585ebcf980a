import type { ComponentProps } from 'react'
import { Card } from './card.tsx'
import { EmptyState } from './empty-state.tsx'

/** What stands in place of a page about something that is not there, with the way on. */
export function NotFound(state: ComponentProps<typeof EmptyState>) {
  return (
    <Card>
      <h1 className="sr-only">Not found</h1>
      <EmptyState {...state} />
    </Card>
  )
}
