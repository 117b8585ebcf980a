'use client'

import { Button } from './ui/button.tsx'
import { Callout } from './ui/callout.tsx'

/** Stands in for a page that could not be shown; the number finds the line in the server's log. */
export function UnexpectedError({
  digest,
  onRetry,
}: {
  readonly digest: string | undefined
  readonly onRetry: () => void
}) {
  return (
    <Callout
      kind="error"
      title="This page could not be shown."
      actions={<Button onClick={onRetry}>Try again</Button>}
    >
      Something went wrong here. Nothing was changed and nothing is lost.
      {digest && (
        <>
          {' '}
          If it stays, tell support this number: <span className="mono">{digest}</span>.
        </>
      )}
    </Callout>
  )
}
