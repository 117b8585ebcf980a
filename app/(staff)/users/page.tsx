import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { PeopleDirectory } from '#components/people/people-directory.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { Queries } from '#components/ui/live/queries.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { happenedDays, mayKnowAttention } from '#lib/operations/rules/attention-kinds.ts'
import { listPeople, searchPeople } from '#lib/people/list-people.ts'
import { listPeopleNeedingAttention } from '#lib/people/list-people-needing-attention.ts'
import { CursorRefused, onRefusal, TooMany } from '#lib/platform/refusals.ts'
import { addressOf } from '../address-of.ts'
import { AttentionSegments } from '../attention-segments.tsx'
import { searchPeopleAction } from './actions.ts'
import { PeopleNeedingAttention } from './people-needing-attention.tsx'

export const metadata: Metadata = { title: 'People' }

const SearchSchema = z.object({
  search: z.string().optional().catch(undefined),
  look: z.literal('1').optional().catch(undefined),
  cursor: z.string().max(2_000).optional().catch(undefined),
})

interface Props {
  readonly searchParams: Promise<Record<string, unknown>>
}

export default async function UsersPage({ searchParams }: Props) {
  const search = SearchSchema.parse(await searchParams)
  const caller = await requirePage('see-everything', addressOf('/users', search))
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
                Add person
              </ButtonLink>
            </>
          )
        }
      >
        {search.look ? (
          <>
            People with open issues in the last {happenedDays} days, without those snoozed on the overview.{' '}
            <TimesNote />
          </>
        ) : (
          'Your customers.'
        )}
      </PageHeader>
      <div className="mt-5">
        <AttentionSegments
          name="Which people"
          all={{ label: 'Everybody', href: '/users' }}
          attention={{
            label: 'Needs attention',
            href: '/users?look=1',
            count: 'people',
            chosen: search.look !== undefined,
          }}
        />
      </div>
      {search.look ? (
        <Queries>
          <PeopleNeedingAttention
            rendered={await readNeedingAttention(caller, search.cursor)}
            isWhole={mayKnowAttention(caller.role, 'aml')}
          />
        </Queries>
      ) : (
        <Queries>
          <PeopleDirectory
            {...(await readDirectory(caller, search.search ?? null, search.cursor))}
            search={searchPeopleAction}
            empty={mayManage && <ButtonLink href="/users/import">Import people</ButtonLink>}
          />
        </Queries>
      )}
    </>
  )
}

async function readNeedingAttention(caller: Caller, cursor: string | undefined) {
  const at = Date.now()
  const page = await listPeopleNeedingAttention(caller, { cursor }).catch(
    onRefusal(CursorRefused, () => redirect('/users?look=1')),
  )
  return { cursor: cursor ?? null, page, at }
}

/** The link of the address finds these people; everybody when it opens nothing. */
async function readDirectory(caller: Caller, link: string | null, cursor: string | undefined) {
  const at = Date.now()
  const found = await searchPeople(caller, link === null ? { cursor } : { link, cursor })
    .catch(onRefusal(TooMany, () => 'too-many' as const))
    .catch(onRefusal(CursorRefused, () => redirect(addressOf('/users', { search: link }))))
  if (found !== null && typeof found === 'object')
    return { rendered: { page: found, cursor: cursor ?? null, at }, deadLink: null }
  const page = { ...(await listPeople(caller)), text: '', link: null }
  return { rendered: { page, cursor: null, at }, deadLink: found ?? 'unknown' } as const
}
