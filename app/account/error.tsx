'use client'

import { UnexpectedError } from '#components/unexpected-error.tsx'

export default function AccountError({
  error,
  retry,
}: {
  readonly error: Error & { readonly digest?: string }
  readonly retry: () => void
}) {
  return <UnexpectedError digest={error.digest} onRetry={retry} />
}
