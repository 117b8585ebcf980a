import { reasonLength } from '#lib/domain/text/reason.ts'
import { isUuid } from '#lib/domain/text/uuid.ts'

/** The person that a command is about, and why: null when it was not understood, which is printed. */
export function readPersonWords(
  command: string,
  [userUuid = '', ...words]: readonly string[],
): { readonly userUuid: string; readonly reason: string } | null {
  const reason = words.join(' ').trim()
  if (isUuid(userUuid) && reason.length >= reasonLength.least)
    return { userUuid: userUuid.toLowerCase(), reason }
  console.error(
    isUuid(userUuid)
      ? `Say why, for the audit: npm run rampart ${command} ${userUuid} asked for by mail`
      : `"${userUuid}" is no uuid of a user: npm run rampart ${command} UUID REASON…`,
  )
  return null
}
