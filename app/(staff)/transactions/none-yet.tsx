'use client'

import { ArrowDownUp } from 'lucide-react'
import { CheckEndpoints } from '#components/endpoints/check-endpoints.tsx'
import { buttonClass } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'

/** The installation has received no transaction yet. The text says what to do about that. */
export function NoneYet({ sandboxUrl }: { readonly sandboxUrl: string | null }) {
  return (
    <EmptyState
      icon={ArrowDownUp}
      title="No transactions yet"
      action={
        <>
          <CheckEndpoints variant="primary" />
          {sandboxUrl && (
            <a href={sandboxUrl} className={buttonClass({})}>
              Play one in the sandbox
            </a>
          )}
        </>
      }
    >
      Transactions appear here as soon as the provider delivers their first event.
    </EmptyState>
  )
}
