import 'server-only'

/** What spellings of an e-mail address that differ in case only have in common. Two people may share it. */
export const emailKey = (email: string) => email.trim().normalize('NFC').toLowerCase()

/** An e-mail address as one mailbox has it: the case of the host means nothing, that of the part before it may. */
export function exactEmail(email: string): string {
  const text = email.trim().normalize('NFC')
  const at = text.lastIndexOf('@') + 1
  return text.slice(0, at) + text.slice(at).toLowerCase()
}
