'use server'
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { action } from '#lib/actions/action.ts'
import { endSession } from '#lib/auth/end-session.ts'
import { readSessionToken, sessionCookie } from '#lib/auth/session-cookie.ts'
import { DecideSignUpWalletSchema, decideSignUpWallet } from '#lib/sign-in/sign-up-wallet.ts'
import { MarkStrangerAlarmsSeenSchema, markStrangerAlarmsSeen } from '#lib/sign-in/stranger-alarms.ts'

/** Ends the session on the server and takes its cookie away. */
export const signOutAction = action(z.object({}), 'anyone', async (_caller, _form, context) => {
  const jar = await cookies()
  const token = await readSessionToken(jar)
  if (token !== null) await endSession(token, 'signed-out', context)
  const { name, options } = sessionCookie()
  jar.set(name, '', { ...options, maxAge: 0 })
  // Otherwise the page below would render again and redirect the next person to itself.
  redirect('/sign-in')
})

export const decideSignUpWalletAction = action(DecideSignUpWalletSchema, 'see-own', decideSignUpWallet)

export const markStrangerAlarmsSeenAction = action(
  MarkStrangerAlarmsSeenSchema,
  'see-own',
  markStrangerAlarmsSeen,
)
