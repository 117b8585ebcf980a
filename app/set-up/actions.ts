'use server'
import { action } from '#lib/actions/action.ts'
import { replaceSession } from '#lib/auth/replace-session.ts'
import { NameYourselfSchema, nameYourself } from '#lib/links/name-yourself.ts'
import { OpenLinkSchema, openLink } from '#lib/links/open-link.ts'

/** Answers where to go on. */
export const openLinkAction = action(OpenLinkSchema, 'anyone', async (_caller, form, context) => {
  const { token, next } = await openLink(form, context)
  await replaceSession(token, context)
  return next
})

export const nameYourselfAction = action(NameYourselfSchema, 'setting-up', nameYourself)
