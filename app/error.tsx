'use client'

import { StandalonePage } from '#components/standalone-page.tsx'
import { Button } from '#components/ui/button.tsx'

/** A page that failed outside the staff frame. */
export default function RootError({
  error,
  retry,
}: {
  readonly error: Error & { digest?: string }
  readonly retry: () => void
}) {
  return (
    <StandalonePage
      title="This page failed"
      actions={
        <Button variant="primary" onClick={retry}>
          Try again
        </Button>
      }
    >
      Nothing was changed by looking at it. If it fails again, tell your admin
      {error.digest ? (
        <>
          {' '}
          the number <span className="mono text-text">{error.digest}</span>
        </>
      ) : (
        ' when it happened'
      )}
      .
    </StandalonePage>
  )
}
