import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'

/** Nothing was found: what that may mean, since the thing itself may well exist. */
export function NothingFound({
  heading = 'h2',
  title,
  sandboxUrl,
  action,
}: {
  readonly heading?: 'h1' | 'h2'
  readonly title: ReactNode
  readonly sandboxUrl: string | null
  readonly action?: ReactNode
}) {
  return (
    <EmptyState
      icon={SearchX}
      heading={heading}
      title={title}
      action={
        <>
          {action}
          <ButtonLink href="/endpoints">Check the endpoints</ButtonLink>
        </>
      }
    >
      <p>It may still exist. It is not here when</p>
      <ul className="mt-2 list-disc space-y-1 pl-5 text-left">
        <li>it belongs to another environment{sandboxUrl && ', and not to the sandbox'}</li>
        <li>it happened before an endpoint pointed to this dashboard</li>
        <li>the endpoint is not subscribed to its type, or was switched off</li>
        <li>the delivery has not arrived yet: the service tries again for up to 19 hours</li>
      </ul>
    </EmptyState>
  )
}
