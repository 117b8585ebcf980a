import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PeopleDirectory } from '#components/users/people-directory.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { listPeople } from '#lib/people/list-people.ts'
import { listPeopleAction } from './actions.ts'

export const metadata: Metadata = { title: 'Users' }

export default async function UsersPage() {
  const caller = await requirePage('see-everything', '/users')
  const first = await listPeople(caller)
  const mayManage = may(caller.role, 'manage-people')
  return (
    <>
      <PageHeader
        title="Users"
        actions={
          mayManage && (
            <>
              <ButtonLink href="/users/import">Import</ButtonLink>
              <ButtonLink variant="primary" href="/users/new">
                Add one
              </ButtonLink>
            </>
          )
        }
      >
        Everybody who buys here: who signed up, who was imported, and whom deliveries named.
      </PageHeader>
      <PeopleDirectory
        first={first}
        list={listPeopleAction}
        empty={mayManage && <ButtonLink href="/users/import">Import people</ButtonLink>}
      />
    </>
  )
}
