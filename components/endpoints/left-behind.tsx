'use client'

import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import type { LeftBehind, LeftBehindView, ShareTokenView } from '#lib/endpoints/list-left-behind.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import type { EndpointActions } from './endpoint-actions.ts'
import { endpointName } from './endpoint-labels.ts'
import { RotateSecretButton } from './endpoint-secret.tsx'

/** The card lists the endpoints that a member made and the secrets that they know, each with its remedy. */
export function LeftBehindCard({
  left: { endpoints, serviceUnavailable, apiKeyGivenAt, shareTokens },
  removed,
  rotate,
}: {
  readonly left: LeftBehind
  /** `removed` is true when the member has left, so that something must be done. */
  readonly removed: boolean
  readonly rotate: EndpointActions['rotate']
}) {
  return (
    <Card title="Endpoints created, secrets seen">
      {serviceUnavailable && (
        <Callout kind="warning" title="The provider did not answer" className="mb-2">
          Some of these may be gone already. Reload the page to ask again.
        </Callout>
      )}
      {apiKeyGivenAt && <ApiKeyRow givenAt={apiKeyGivenAt} />}
      {endpoints.length === 0 ? (
        !apiKeyGivenAt &&
        shareTokens.length === 0 && <p className="text-muted text-table">None that is in use.</p>
      ) : (
        <>
          {removed && (
            <p className="mb-1 text-sm">
              Whoever knows a secret can send made-up events to its receiver: rotate those below.
            </p>
          )}
          <ul className="divide-y">
            {endpoints.map((one) => (
              <Row key={one.endpointUuid} one={one} rotate={rotate} />
            ))}
          </ul>
        </>
      )}
      {shareTokens.length > 0 && <ShareTokens tokens={shareTokens} />}
    </Card>
  )
}

function ShareTokens({ tokens }: { readonly tokens: readonly ShareTokenView[] }) {
  return (
    <div className="pt-3">
      <p className="font-strong text-table">Share tokens</p>
      <p className="text-muted text-sm">
        Its holder can read the personal data of the user’s verification. Tokens cannot be revoked here: ask
        the provider.
      </p>
      <ul aria-label="Share tokens" className="mt-1 grid gap-1 text-sm">
        {tokens.map(({ id, userUuid, madeAt }) => (
          <li key={id}>
            Made one for user{' '}
            <Link href={`/users/${userUuid}`} className="mono underline underline-offset-2">
              {shortId(userUuid)}
            </Link>{' '}
            <Time at={madeAt} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function ApiKeyRow({ givenAt }: { readonly givenAt: string }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-strong text-table">The provider’s API key</p>
        <p className="text-muted text-sm">
          Typed it in <Time at={givenAt} />. Its holder can act as this dashboard at the provider. Ask for a
          new key, and enter it under Settings.
        </p>
      </div>
      <ButtonLink href="/settings">Change</ButtonLink>
    </div>
  )
}

function Row({
  one: { endpointUuid, endpoint, madeAt, sawSecretAt },
  rotate,
}: {
  readonly one: LeftBehindView
  readonly rotate: EndpointActions['rotate']
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <Link
          href={`/endpoints/${endpointUuid}`}
          className="break-words font-strong text-table underline-offset-2 hover:underline"
        >
          {endpoint ? endpointName(endpoint) : <ShortId id={endpointUuid} />}
        </Link>
        {endpoint && <p className="mono break-all text-muted text-xs">{endpoint.url}</p>}
        <p className="text-muted text-sm">
          {sawSecretAt && (
            <>
              Saw its secret <Time at={sawSecretAt} />
            </>
          )}
          {sawSecretAt && madeAt && ', '}
          {madeAt && (
            <>
              {sawSecretAt ? 'created it' : 'Created it'} <Time at={madeAt} />
            </>
          )}
        </p>
      </div>
      {endpoint && <RotateSecretButton endpoint={endpoint} rotate={rotate} />}
    </li>
  )
}
