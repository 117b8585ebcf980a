'use server'

import { action } from '#lib/identity/actions/action.ts'
import { MarkStrangerAlarmsSeenSchema, markStrangerAlarmsSeen } from '#lib/identity/sign-in/code-limits.ts'
import { DecideSignUpWalletSchema, decideSignUpWallet } from '#lib/identity/sign-in/sign-up-record.ts'

export const decideSignUpWalletAction = action(DecideSignUpWalletSchema, 'see-own', decideSignUpWallet)

export const markStrangerAlarmsSeenAction = action(
  MarkStrangerAlarmsSeenSchema,
  'see-own',
  markStrangerAlarmsSeen,
)
