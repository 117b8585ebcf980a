'use server'

import { action } from '#lib/identity/actions/action.ts'
import {
  BeginSetUpPasskeySchema,
  beginSetUpPasskey,
  OpenLinkSchema,
  openLink,
  SetUpPasskeySchema,
  setUpPasskey,
} from '#lib/identity/links/set-up.ts'
import { replaceSession } from '#lib/identity/sessions/browser-session.ts'

/** The action returns the next address. */
export const openLinkAction = action(OpenLinkSchema, 'anyone', async (_caller, form, context) => {
  const { token, next } = await openLink(form, context)
  await replaceSession(token, context)
  return next
})

export const beginSetUpPasskeyAction = action(BeginSetUpPasskeySchema, 'setting-up', beginSetUpPasskey)

export const setUpPasskeyAction = action(SetUpPasskeySchema, 'setting-up', async (caller, form, context) => {
  await replaceSession(await setUpPasskey(caller, form, context), context)
})
