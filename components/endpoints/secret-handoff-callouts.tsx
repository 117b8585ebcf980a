import type { ReactNode } from 'react'
import { Callout } from '#components/ui/callout.tsx'
import { Link } from '#components/ui/link.tsx'
import { Time } from '#components/ui/time.tsx'

/** The secret of an endpoint elsewhere was shown, and nobody has confirmed yet that it is stored or deployed. */
export function UnconfirmedSecret({
  shownAt,
  replaces,
  confirm,
}: {
  readonly shownAt: string
  /** The endpoint that is deleted once the secret is confirmed. */
  readonly replaces: string | null
  readonly confirm: ReactNode
}) {
  return (
    <Callout
      kind="warning"
      title={replaces ? 'This endpoint is to replace another one.' : 'Is its secret stored where it belongs?'}
      actions={confirm}
    >
      Its secret was shown <Time at={shownAt} />, <Time at={shownAt} style="clock" />, and is not kept here.{' '}
      {replaces ? (
        <>
          Deploy it beside the old one, then confirm:{' '}
          <EndpointLink uuid={replaces}>the old endpoint</EndpointLink> is deleted. If it was lost, rotate it.
        </>
      ) : (
        'If it was lost, rotate it.'
      )}
    </Callout>
  )
}

/** An endpoint that is deleted once the secret of its replacement is confirmed. */
export const BeingReplaced = ({ by }: { readonly by: string }) => (
  <Callout title="This endpoint is being replaced.">
    It delivers until <EndpointLink uuid={by}>its replacement</EndpointLink> is confirmed there.
  </Callout>
)

const EndpointLink = ({ uuid, children }: { readonly uuid: string; readonly children: string }) => (
  <Link href={`/endpoints/${uuid}`} className="underline hover:text-text">
    {children}
  </Link>
)
