import { SignUpWalletCard, StrangerAlarm } from '#components/people/own/own-notices.tsx'
import { StaffCallout } from '#components/people/own/staff-callout.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { findRoleOutOfReach } from '#lib/identity/members/membership.ts'
import { findSignUpWallet } from '#lib/identity/sign-in/sign-up-record.ts'
import { findStrangerAlarm } from '#lib/identity/sign-in/stranger-alarms.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { decideSignUpWalletAction, markStrangerAlarmsSeenAction } from './actions.ts'

/**
 * The person must know this about signing in: staff sign in another way, strangers tried, or somebody else may have
 * given a wallet.
 */
export async function AccountNotices({
  words,
  caller,
}: {
  readonly words: CustomerWords
  readonly caller: Caller
}) {
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
