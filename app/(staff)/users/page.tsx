import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PeopleDirectory } from '#components/users/people-directory.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { listPeople } from '#lib/people/list-people.ts'
import { searchPeople } from '#lib/people/search-people.ts'
import type { Caller } from '#lib/request/caller.ts'
import { onRefusal, TooMany } from '#lib/request/refusals.ts'
import { searchPeopleAction } from './actions.ts'

export const metadata: Metadata = { title: 'People' }

interface Props {
  readonly searchParams: Promise<{ readonly search?: string | string[] }>
}

export default async function UsersPage({ searchParams }: Props) {
  const { search } = await searchParams
  const link = typeof search === 'string' ? search : null
  const here = link === null ? '/users' : `/users?search=${encodeURIComponent(link)}`
  const caller = await requirePage('see-everything', here)
  const { first, deadLink } = await read(caller, link)
  const mayManage = may(caller.role, 'manage-people')
  return (
    <>
      <PageHeader
        title="People"
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
        deadLink={deadLink}
        search={searchPeopleAction}
        empty={mayManage && <ButtonLink href="/users/import">Import people</ButtonLink>}
      />
    </>
  )
}

/** What the link of the address finds; everybody where it opens nothing. */
async function read(caller: Caller, link: string | null) {
  const found =
    link === null
      ? await searchPeople(caller, {})
      : await searchPeople(caller, { link }).catch(onRefusal(TooMany, () => 'too-many' as const))
  if (found !== null && typeof found === 'object') return { first: found, deadLink: null }
  const first = { ...(await listPeople(caller)), text: '', link: null }
  return { first, deadLink: found ?? 'unknown' } as const
}
