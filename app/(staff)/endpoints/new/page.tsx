import type { Metadata } from 'next'
import type { ReactElement } from 'react'
import { CreateEndpointForm } from '#components/endpoints/create-endpoint-form.tsx'
import { Skeleton } from '#components/ui/empty-state.tsx'
import { AfterFreshSignIn } from '#components/ui/form/fresh-sign-in.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { ServiceAnswer } from '#components/ui/shared/service-answer.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { listEndpoints } from '#lib/endpoints/endpoints.ts'
import { newReceiverAddress } from '#lib/endpoints/repair-endpoint.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { onRefusal, Refused } from '#lib/platform/refusals.ts'
import { checkPublicAddressAction, createEndpointAction } from '../actions.ts'

export const metadata: Metadata = { title: 'Add endpoint' }

export default async function NewEndpointPage() {
  const caller = await requirePage('manage-endpoints', '/endpoints/new')
  return (
    <>
      <PageHeader title="Add endpoint">Deliveries start immediately.</PageHeader>
      <div className="mt-5">
        <ServiceAnswer render={() => renderEmptyForm(caller)} standIn={<Skeleton className="h-96" />} />
      </div>
    </>
  )
}

async function renderEmptyForm(caller: Caller): Promise<ReactElement> {
  const { sandboxUrl } = env()
  return (
    <AfterFreshSignIn>
      <CreateEndpointForm
        create={createEndpointAction}
        check={checkPublicAddressAction}
        own={newReceiverAddress()}
        first={await nonePointsHere(caller)}
        sandboxReceiver={sandboxUrl && new URL('/receiver', sandboxUrl).href}
      />
    </AfterFreshSignIn>
  )
}

/** The answer only fills in the form: when the service does not answer, this dashboard is chosen. */
const nonePointsHere = (caller: Caller): Promise<boolean> =>
  listEndpoints(caller).then(
    (endpoints) => !endpoints.some(({ ours }) => ours),
    onRefusal(Refused, () => true),
  )
