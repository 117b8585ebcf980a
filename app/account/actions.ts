'use server'
import { cookies } from 'next/headers'
import { z } from 'zod'
import { action } from '#lib/auth/action.ts'
import { endSession } from '#lib/auth/end-session.ts'
import { sessionCookie } from '#lib/auth/session-cookie.ts'

/** Ends the session on the server and takes its cookie away. */
export const signOut = action(z.object({}), 'anyone', async (caller, _form, context) => {
  if (caller) await endSession(caller, 'signed-out', context)
  const { name, options } = sessionCookie()
  ;(await cookies()).set(name, '', { ...options, maxAge: 0 })
})
