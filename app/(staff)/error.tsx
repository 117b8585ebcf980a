'use client'

import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'

/** A staff page that failed; the frame around it stays. */
export default function StaffError({
  error,
  retry,
}: {
  readonly error: Error & { digest?: string }
  readonly retry: () => void
}) {
  return (
    <Card role="alert">
      <EmptyState
        title="This page could not be loaded"
        action={
          <Button variant="primary" onClick={retry}>
            Try again
          </Button>
        }
      >
        Deliveries keep being received and nothing is lost. If it fails again, tell your admin
        {error.digest ? (
          <>
            {' '}
            the number <span className="mono text-text">{error.digest}</span>
          </>
        ) : (
          ' when it happened'
        )}
        .
      </EmptyState>
    </Card>
  )
}
