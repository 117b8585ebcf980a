import { redirect } from 'next/navigation'
import type { ReactElement } from 'react'
import { SignUpWalletCard, StrangerAlarm } from '#components/people/own/own-notices.tsx'
import { OwnTransactions } from '#components/people/own/own-transactions.tsx'
import { OwnAccounts, ProfileCard } from '#components/people/own/profile-card.tsx'
import {
  NoAccount,
  StaffCallout,
  StartVerification,
  supportOf,
} from '#components/people/own/start-verification.tsx'
import { Card } from '#components/ui/card.tsx'
import { Skeleton } from '#components/ui/empty-state.tsx'
import { RefreshEvery, RefreshOnChange } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { ServiceAnswer } from '#components/ui/shared/service-answer.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { findRoleOutOfReach } from '#lib/identity/members/membership.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { findStrangerAlarm } from '#lib/identity/sign-in/code-limits.ts'
import { findSignUpWallet } from '#lib/identity/sign-in/sign-up-record.ts'
import { getProfile, listOwnAccounts, listOwnWallets } from '#lib/people/own/get-profile.ts'
import { listOwnTransactions } from '#lib/people/own/own-transactions.ts'
import { env } from '#lib/platform/env.ts'
import { CursorRefused, onRefusal } from '#lib/platform/refusals.ts'
import { readSettings, type Settings } from '#lib/platform/settings/settings.ts'
import { isMoving } from '#lib/transactions/rules/is-stuck.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import { readWords } from '../read-words.ts'
import { decideSignUpWalletAction, markStrangerAlarmsSeenAction } from './actions.ts'

interface Props {
  readonly searchParams: Promise<{ readonly after?: string | string[] }>
}

export default async function AccountPage({ searchParams }: Props) {
  const caller = await requirePage('see-own', '/account')
  const words = await readWords()
  const { userUuid } = caller
  if (userUuid === null) return <NoAccountPage words={words} caller={caller} />
  const { after } = await searchParams
  const settings = await readSettings()
  const from = typeof after === 'string' ? after : undefined
  const [page, accounts] = await Promise.all([
    listOwnTransactions(caller, from).catch(onRefusal(CursorRefused, () => redirect('/account'))),
    listOwnAccounts(caller),
  ])
  // A person without a transaction has no reference to give.
  const questions =
    page.rows.length > 0 || from !== undefined ? 'account.questionsNext' : 'verification.startBySupport'
  return (
    <>
      <RefreshOnChange subjects="any" />
      {page.rows.some(({ step, stuck }) => isMoving(step) && !stuck) && <RefreshEvery seconds={30} />}
      <PageHeader title={words('account.title')}>{words('account.lead')}</PageHeader>
      <AccountNotices words={words} caller={caller} />
      <div className="mt-6 grid grid-cols-[minmax(0,1fr)] items-start gap-5 @4xl/main:grid-cols-[minmax(0,1fr)_20rem]">
        <section aria-labelledby="own-transactions" className="min-w-0">
          <h2 id="own-transactions" className="mb-2.5 font-title text-muted text-sm">
            {words('account.transactions')}
          </h2>
          <OwnTransactions
            words={words}
            page={page}
            newest={from === undefined}
            playUrl={playUrlOf(userUuid)}
          />
          {page.rows.length > 0 && (
            <p className="mt-3 text-muted text-sm">
              <TimesNote />
            </p>
          )}
        </section>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5 @4xl/main:mt-7.5">
          <ServiceAnswer
            render={() => renderProfile(words, caller, settings)}
            standIn={<ProfileSkeleton words={words} />}
          />
          <OwnAccounts words={words} accounts={accounts} />
          <Card title={words('account.questions')}>
            <p className="text-muted text-table">
              {words.rich(questions, supportOf(settings.merchantName, settings.supportContact))}
            </p>
          </Card>
        </div>
      </div>
    </>
  )
}

const NoAccountPage = ({
  words,
  caller: { name, email },
}: {
  readonly words: CustomerWords
  readonly caller: Caller
}) => (
  <>
    <PageHeader title={words('account.title')} />
    <div className="mt-6">
      <NoAccount words={words} name={name ?? email ?? '?'} />
    </div>
  </>
)

/** The sandbox's page of scenarios opens with this person chosen. */
function playUrlOf(userUuid: string): string | null {
  const { sandboxUrl } = env()
  return sandboxUrl && new URL(`/?user=${userUuid}`, sandboxUrl).href
}

async function renderProfile(
  words: CustomerWords,
  caller: Caller,
  settings: Settings,
): Promise<ReactElement> {
  const answer = await getProfile(caller)
  // The wallets are read after the profile, which updates the wallet of the account.
  const wallets = await listOwnWallets(caller)
  return (
    <ProfileCard
      words={words}
      answer={answer}
      refusal={answer.kind === 'unavailable' ? wordRefusal(words.language, answer.refusal) : null}
      wallets={wallets}
      start={<StartVerification words={words} {...settings} />}
    />
  )
}

function ProfileSkeleton({ words }: { readonly words: CustomerWords }) {
  return (
    <Card title={words('account.profile')}>
      <div className="grid gap-2.5" role="status">
        <span className="sr-only">{words('account.loadingProfile')}</span>
        {[0, 1, 2, 3, 4, 5].map((line) => (
          <Skeleton key={line} className="h-5" />
        ))}
      </div>
    </Card>
  )
}

/**
 * The person must know this about signing in: staff sign in another way, strangers tried, or somebody else may have
 * given a wallet.
 */
async function AccountNotices({ words, caller }: { readonly words: CustomerWords; readonly caller: Caller }) {
  const [role, alarmAt, wallet] = await Promise.all([
    findRoleOutOfReach(caller),
    findStrangerAlarm(caller),
    findSignUpWallet(caller),
  ])
  if (role === null && alarmAt === null && wallet === null) return null
  return (
    <div className="mt-5 grid gap-4">
      {role && <StaffCallout words={words} role={role} />}
      {alarmAt !== null && <StrangerAlarm lastAt={alarmAt} markSeen={markStrangerAlarmsSeenAction} />}
      {wallet && (
        <SignUpWalletCard
          address={wallet.address}
          givenAt={wallet.givenAt}
          decide={decideSignUpWalletAction}
        />
      )}
    </div>
  )
}
