'use client'

import { StandaloneFrame } from './standalone-page.tsx'
import { Button } from './ui/button.tsx'
import { Card } from './ui/card.tsx'
import { EmptyState } from './ui/empty-state.tsx'

/** What Next gives to `error.tsx`. */
interface UnexpectedErrorProps {
  readonly error: Error & { readonly digest?: string }
  readonly retry: () => void
}

/** Stands in for a page that could not be shown, within its frame; the number finds the line in the server's log. */
export function UnexpectedError({ error, retry }: UnexpectedErrorProps) {
  return (
    <Card role="alert">
      <EmptyState
        heading="h1"
        title="This page could not be shown"
        action={
          <Button variant="primary" onClick={retry}>
            Try again
          </Button>
        }
      >
        Something went wrong here. Nothing was changed and nothing is lost. If it fails again, ask for help
        and give{' '}
        {error.digest ? (
          <>
            the number <span className="mono text-text">{error.digest}</span>
          </>
        ) : (
          'the time'
        )}
        .
      </EmptyState>
    </Card>
  )
}

/** The same where there is no frame. */
export const StandaloneError = (props: UnexpectedErrorProps) => (
  <StandaloneFrame>
    <UnexpectedError {...props} />
  </StandaloneFrame>
)
