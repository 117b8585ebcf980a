import { SignUpWalletCard } from '#components/account/sign-up-wallet-card.tsx'
import { StaffCallout } from '#components/account/staff-callout.tsx'
import { StrangerAlarm } from '#components/account/stranger-alarm.tsx'
import type { CustomerWords } from '#lib/labels/customer-labels.ts'
import type { Caller } from '#lib/request/caller.ts'
import { findSignUpWallet } from '#lib/sign-in/sign-up-wallet.ts'
import { findStrangerAlarm } from '#lib/sign-in/stranger-alarms.ts'
import { findRoleOutOfReach } from '#lib/team/find-role-out-of-reach.ts'
import { decideSignUpWalletAction, markStrangerAlarmsSeenAction } from './actions.ts'

/**
 * What this person must be told about signing in: that staff sign in another way, that strangers tried, and a wallet that
 * somebody else may have given.
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
