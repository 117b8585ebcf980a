'use client'

import { WentWrong } from '#components/went-wrong.tsx'

export default function AuthError({
  error,
  retry,
}: {
  readonly error: Error & { readonly digest?: string }
  readonly retry: () => void
}) {
  return <WentWrong digest={error.digest} onRetry={retry} />
}
