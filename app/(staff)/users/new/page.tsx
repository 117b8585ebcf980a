import type { Metadata } from 'next'
import { PageHeader } from '#components/ui/page-header.tsx'
import { AddPersonForm, type Countries } from '#components/users/add-person-form.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { Refused } from '#lib/request/refusals.ts'
import { listCountries } from '#lib/sign-in/list-countries.ts'
import { addPersonAction } from '../actions.ts'

export const metadata: Metadata = { title: 'Add a person' }

export default async function AddPersonPage() {
  await requirePage('manage-people', '/users/new')
  return (
    <>
      <PageHeader title="Add a person">
        Makes somebody a user of the service, who can then sign in by a code sent to the e-mail address.
      </PageHeader>
      <AddPersonForm add={addPersonAction} countries={await readCountries()} />
    </>
  )
}

async function readCountries(): Promise<Countries> {
  try {
    return { kind: 'known', countries: await listCountries() }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { kind: 'unknown', title: error.title, next: error.next }
  }
}
