'use server'
import { action } from '#lib/actions/action.ts'
import { DecideSignUpWalletSchema, decideSignUpWallet } from '#lib/sign-in/sign-up-wallet.ts'
import { MarkStrangerAlarmsSeenSchema, markStrangerAlarmsSeen } from '#lib/sign-in/stranger-alarms.ts'

export const decideSignUpWalletAction = action(DecideSignUpWalletSchema, 'see-own', decideSignUpWallet)

export const markStrangerAlarmsSeenAction = action(
  MarkStrangerAlarmsSeenSchema,
  'see-own',
  markStrangerAlarmsSeen,
)
