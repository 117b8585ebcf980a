'use client'

import { isScriptGone } from '../browser/loaded-later.ts'
import { useWords } from '../browser/words.tsx'
import { buttonClass } from '../button.tsx'
import { Card } from '../card.tsx'
import { EmptyState } from '../empty-state.tsx'
import { StandaloneShell } from './standalone-page.tsx'

/** Next gives these to `error.tsx`. */
interface UnexpectedErrorProps {
  readonly error: Error & { readonly digest?: string }
  readonly retry: () => void
}

/**
 * The page could not be shown, so this takes its place within its shell. The number finds the line in the server's
 * log.
 */
export function UnexpectedError({ error, retry }: UnexpectedErrorProps) {
  const words = useWords()
  const older = isScriptGone(error)
  return (
    <Card role="alert">
      <EmptyState
        heading="h1"
        title={words(older ? 'ui.error.olderTitle' : 'ui.error.title')}
        action={
          <button
            type="button"
            onClick={older ? () => location.reload() : retry}
            className={buttonClass({ variant: 'primary' })}
          >
            {words(older ? 'ui.error.reload' : 'ui.error.retry')}
          </button>
        }
      >
        {!older && error.digest
          ? words.rich('ui.error.bodyNumbered', {
              number: error.digest,
              mark: (number) => (
                <span key="number" className="mono text-text">
                  {number}
                </span>
              ),
            })
          : words(older ? 'ui.error.olderBody' : 'ui.error.body')}
      </EmptyState>
    </Card>
  )
}

/** This one is for places without a shell. */
export const StandaloneError = (props: UnexpectedErrorProps) => (
  <StandaloneShell>
    <UnexpectedError {...props} />
  </StandaloneShell>
)
