import type { Metadata } from 'next'
import { z } from 'zod'
import { endpointName } from '#components/endpoints/endpoint-labels.ts'
import {
  FilterFields,
  PreviewedFilter,
  StartReplayForm,
} from '#components/endpoints/replays/start-replay-form.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { AfterFreshSignIn } from '#components/ui/form/fresh-sign-in.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Time } from '#components/ui/time.tsx'
import { findEndpoint } from '#lib/endpoints/endpoints.ts'
import {
  countMatchingDeliveries,
  givenFilter,
  listSources,
  type MatchingDeliveries,
  readReplayFilter,
} from '#lib/endpoints/replays/new-replay.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { onRefusal, Refused } from '#lib/platform/refusals.ts'
import { startReplayAction } from '../actions.ts'

export const metadata: Metadata = { title: 'Replay webhooks' }

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>
}

export default async function NewReplayPage({ searchParams }: Props) {
  const parameters = await searchParams
  const given = givenFilter(parameters)
  const sendTo = z.guid().optional().catch(undefined).parse(parameters.send) ?? null
  const path = `/replays/new?${new URLSearchParams({ ...given, ...(sendTo ? { send: sendTo } : {}) })}`
  const caller = await requirePage('replay-deliveries', path)
  const [{ filter, errors }, sources, endpoint] = await Promise.all([
    readReplayFilter(caller, given),
    listSources(caller),
    // The endpoint only fills in the address, which can be typed as well.
    sendTo ? findEndpoint(caller, sendTo).catch(onRefusal(Refused, () => null)) : null,
  ])
  const matching = await countMatchingDeliveries(caller, filter)
  return (
    <>
      <PageHeader title="Replay webhooks">
        Choose deliveries, preview them, then choose where to send them.
      </PageHeader>
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] gap-5">
        <PreviewedFilter key={path}>
          <FilterFields given={given} filter={filter} errors={errors} sources={sources} sendTo={sendTo} />
          {matching && <HowMany matching={matching} />}
          {matching !== null && matching.count > 0 && !matching.tooMany && (
            <AfterFreshSignIn>
              <StartReplayForm
                start={startReplayAction}
                filter={filter}
                count={matching.count}
                sandbox={env().sandboxUrl !== null}
                destination={
                  endpoint && !endpoint.ours
                    ? { uuid: endpoint.uuid, name: endpointName(endpoint), url: endpoint.url }
                    : null
                }
              />
            </AfterFreshSignIn>
          )}
        </PreviewedFilter>
      </div>
    </>
  )
}

function HowMany({ matching: { count, tooMany, first, last } }: { readonly matching: MatchingDeliveries }) {
  if (count === 0) {
    return (
      <Callout title="No stored delivery matches" className="max-w-[46rem]">
        Bodies that retention has dropped cannot be sent again.
      </Callout>
    )
  }
  if (tooMany) {
    return (
      <Callout
        kind="warning"
        title={`More than ${count.toLocaleString('en')} deliveries match`}
        className="max-w-[46rem]"
      >
        That is more than one replay sends. Choose a shorter time, or one type or endpoint.
      </Callout>
    )
  }
  return (
    <Callout
      title={count === 1 ? 'One delivery matches' : `${count.toLocaleString('en')} deliveries match`}
      className="max-w-[46rem]"
    >
      {first && last && (
        <>
          Received <Time at={first} style="clock" />
          {count > 1 && (
            <>
              {' '}
              to <Time at={last} style="clock" />
            </>
          )}
        </>
      )}
    </Callout>
  )
}
