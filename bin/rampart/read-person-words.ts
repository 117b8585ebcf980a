import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { reasonLength } from '#lib/platform/rules/reason.ts'
import { findUuid } from '#lib/platform/rules/whole-ids.ts'

/** The person that a command is about, and why: null when it was not understood, which is printed. */
export function readPersonWords(
  command: string,
  [typed = '', ...words]: readonly string[],
): { readonly userUuid: string; readonly reason: string } | null {
  const reason = words.join(' ').trim()
  const userUuid = findUuid(cleanText(typed))
  if (userUuid !== null && reason.length >= reasonLength.least) return { userUuid, reason }
  console.error(
    userUuid !== null
      ? `Say why, for the audit: npm run rampart ${command} ${userUuid} asked for by mail`
      : `"${typed}" is no uuid of a user: npm run rampart ${command} UUID REASON…`,
  )
  return null
}
