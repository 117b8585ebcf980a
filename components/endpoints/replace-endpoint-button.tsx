'use client'

import { TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { Link } from '#components/ui/link.tsx'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import type { EndpointActions } from './endpoint-actions.ts'
import { endpointName } from './endpoint-labels.ts'
import { SigningSecret } from './signing-secret.tsx'

/** A second endpoint with a secret of its own; both deliver until the new secret is deployed. */
export function ReplaceEndpointButton({
  endpoint,
  replace,
  sandbox,
  onDone,
}: {
  readonly endpoint: EndpointView
  readonly replace: EndpointActions['replace']
  readonly sandbox: boolean
  readonly onDone: () => void
}) {
  const name = endpointName(endpoint)
  return (
    <ConfirmedActionButton
      label="Replace"
      title={`Replace “${name}” with overlap?`}
      description="The service makes a second endpoint with a secret of its own, which is shown once. Both deliver, so that nothing is missed, and every event comes twice. Once the new secret is deployed, you confirm it, and the old endpoint is deleted."
      action={replace}
      afterFreshSignIn
      fields={{ endpointUuid: endpoint.uuid }}
      done={null}
      onDone={onDone}
      result={({ endpointUuid, signingSecret }) => ({
        title: 'The second endpoint was made',
        body: (
          <div className="grid gap-3">
            <SigningSecret secret={signingSecret ?? ''} name={name} />
            <span>
              Deploy it, then confirm that on{' '}
              <Link href={`/endpoints/${endpointUuid}`} className="underline hover:text-text">
                the page of the second endpoint
              </Link>
              .
            </span>
          </div>
        ),
      })}
    >
      {(errorOf) => (
        <TextField
          label="Address of the second endpoint"
          hint={`The same, or another: https://${sandbox ? ', or http:// on this machine' : ''}.`}
          error={errorOf('url')}
          name="url"
          defaultValue={endpoint.url}
          spellCheck={false}
        />
      )}
    </ConfirmedActionButton>
  )
}
