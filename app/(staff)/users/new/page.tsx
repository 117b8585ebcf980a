import type { Metadata } from 'next'
import { AddPersonForm } from '#components/people/add-person-form.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { readCountryChoices } from '../../../read-words.ts'
import { addPersonAction } from '../actions.ts'

export const metadata: Metadata = { title: 'Add a person' }

export default async function AddPersonPage() {
  await requirePage('manage-people', '/users/new')
  return (
    <>
      <PageHeader title="Add a person">
        Creates the user at the provider. They sign in by a code sent to the e-mail address.
      </PageHeader>
      <AddPersonForm add={addPersonAction} countries={await readCountryChoices()} />
    </>
  )
}
