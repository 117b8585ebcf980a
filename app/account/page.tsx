import { redirect } from 'next/navigation'
import { Suspense } from 'react'
import { NoAccount } from '#components/account/no-account.tsx'
import { OwnAccounts } from '#components/account/own-accounts.tsx'
import { OwnTransactions } from '#components/account/own-transactions.tsx'
import { ProfileCard } from '#components/account/profile-card.tsx'
import { RefreshOnChange } from '#components/live/refresh-on-change.tsx'
import { SupportContact } from '#components/support-contact.tsx'
import { Card } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { getProfile } from '#lib/account/get-profile.ts'
import { listOwnAccounts } from '#lib/account/list-own-accounts.ts'
import { listOwnTransactions } from '#lib/account/list-own-transactions.ts'
import { requirePage } from '#lib/auth/require-page.ts'
import { env } from '#lib/env.ts'
import type { Caller } from '#lib/request/caller.ts'
import { CursorRefused, onRefusal } from '#lib/request/refusals.ts'
import { readSettings } from '#lib/settings/read-settings.ts'
import { AccountNotices } from './account-notices.tsx'

interface Props {
  readonly searchParams: Promise<{ readonly after?: string | string[] }>
}

export default async function AccountPage({ searchParams }: Props) {
  const caller = await requirePage('see-own', '/account')
  const { userUuid } = caller
  if (userUuid === null) return <NoAccountPage caller={caller} />
  const { after } = await searchParams
  const { merchantName, supportContact } = await readSettings()
  const from = typeof after === 'string' ? after : undefined
  const [page, accounts] = await Promise.all([
    listOwnTransactions(caller, from).catch(onRefusal(CursorRefused, () => redirect('/account'))),
    listOwnAccounts(caller),
  ])
  return (
    <>
      <RefreshOnChange subjects="any" />
      <PageHeader title="My account">
        Your transactions and accounts, and what the payment service knows of you.
      </PageHeader>
      <AccountNotices caller={caller} />
      <div className="mt-6 grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <section aria-labelledby="own-transactions" className="min-w-0">
          <h2 id="own-transactions" className="mb-2.5 font-title text-muted text-sm">
            Your transactions
          </h2>
          <OwnTransactions page={page} newest={from === undefined} playUrl={playUrlOf(userUuid)} />
          <p className="mt-3 text-muted text-sm">
            <TimesNote />
          </p>
        </section>
        <div className="grid gap-5 lg:mt-[30px]">
          <Suspense fallback={<ProfileSkeleton />}>
            <OwnProfile caller={caller} />
          </Suspense>
          {accounts.length > 0 && <OwnAccounts accounts={accounts} />}
          <Card title="Questions?">
            <p className="text-muted text-table">
              Write to <SupportContact merchant={merchantName} contact={supportContact} />, and give them the
              reference of the transaction. They see the same steps as you.
            </p>
          </Card>
        </div>
      </div>
    </>
  )
}

const NoAccountPage = ({ caller: { name, email } }: { readonly caller: Caller }) => (
  <>
    <PageHeader title="My account" />
    <div className="mt-6">
      <NoAccount name={name ?? email ?? 'somebody'} />
    </div>
  </>
)

/** The sandbox's page of scenarios, with this person chosen. */
function playUrlOf(userUuid: string): string | null {
  const { sandboxUrl } = env()
  return sandboxUrl && new URL(`/?user=${userUuid}`, sandboxUrl).href
}

/** The service may take a while to answer; the rest of the page does not wait for it. */
async function OwnProfile({ caller }: { readonly caller: Caller }) {
  return <ProfileCard answer={await getProfile(caller)} />
}

function ProfileSkeleton() {
  return (
    <Card title="Profile">
      <div className="grid gap-2.5" role="status">
        <span className="sr-only">Loading your profile</span>
        {[0, 1, 2, 3, 4, 5].map((line) => (
          <Skeleton key={line} className="h-5" />
        ))}
      </div>
    </Card>
  )
}
