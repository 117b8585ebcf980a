'use client'

import { useRouter } from 'next/navigation'
import { useTransition } from 'react'
import { Button } from '../button.tsx'

/** The server is asked for this page once more. */
export function RetryButton({ children = 'Try again' }: { readonly children?: string }) {
  const router = useRouter()
  const [pending, start] = useTransition()
  return (
    <Button size="sm" pending={pending} onClick={() => start(() => router.refresh())}>
      {children}
    </Button>
  )
}
