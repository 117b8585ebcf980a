'use client'

import { useRouter } from 'next/navigation'
import { Callout } from '#components/ui/callout.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { OnceShown } from '#components/ui/form/once-shown.tsx'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import type { EndpointActions } from './endpoint-actions.ts'
import { endpointName } from './endpoint-labels.ts'

/** The secret is shown only this once. */
export function SigningSecret({ secret, name }: { readonly secret: string; readonly name: string }) {
  return (
    <div className="grid gap-3">
      <Callout kind="warning" title="Copy it now: it is shown only once and not stored here.">
        Deliveries to “{name}” carry it as <span className="mono">Authorization: API-Key …</span>. If it is
        lost, rotate it.
      </Callout>
      <OnceShown
        secret={secret}
        name="Signing secret"
        copy="Copy secret"
        lost="If it is lost, only a rotation makes another."
      />
    </div>
  )
}

/** The button rotates the secret. A new secret of an endpoint elsewhere is shown once. */
export function RotateSecretButton({
  endpoint,
  rotate,
  variant = 'secondary',
}: {
  readonly endpoint: EndpointView
  readonly rotate: EndpointActions['rotate']
  readonly variant?: 'primary' | 'secondary'
}) {
  const router = useRouter()
  const name = endpointName(endpoint)
  return (
    <ConfirmedActionButton
      label="Rotate secret"
      variant={variant}
      title={`Rotate the secret of “${name}”?`}
      description={
        endpoint.ours
          ? 'This dashboard stores the new secret; the old one stops working. Deliveries meanwhile are deferred, and the provider retries them.'
          : 'The old secret stops working at once. Its receiver rejects deliveries until the new one is deployed. The new one is shown once.'
      }
      action={rotate}
      afterFreshSignIn
      fields={{ endpointUuid: endpoint.uuid }}
      done={null}
      onDone={() => router.refresh()}
      result={({ signingSecret }) => ({
        title: 'Rotated',
        body:
          signingSecret === null ? (
            'This dashboard has the new secret and checks deliveries with it. There is nothing to copy.'
          ) : (
            <SigningSecret secret={signingSecret} name={name} />
          ),
      })}
    />
  )
}
