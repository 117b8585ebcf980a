import { OctagonAlert } from 'lucide-react'
import { FetchFailed, failureMessage } from '../browser/fetch-json.ts'
import { Button } from '../button.tsx'
import { CalloutBox } from './callout-box.tsx'

/** The message replaces something that could not be loaded. */
export function LoadError({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const status = error instanceof FetchFailed ? error.status : null
  const signedOut = status === 401
  const { title, next } = failureMessage(error)
  return (
    <CalloutBox
      tone="fail"
      icon={OctagonAlert}
      isError
      title={title}
      className="m-3"
      actions={
        <Button size="sm" onClick={signedOut ? () => location.reload() : onRetry}>
          {signedOut ? 'Sign in' : status === 400 ? 'Begin at the top' : 'Try again'}
        </Button>
      }
    >
      {next}
    </CalloutBox>
  )
}
