import 'server-only'
import { domainToASCII, domainToUnicode } from 'node:url'
import { plainText } from '#lib/platform/rules/pasted-text.ts'

/**
 * The same for all spellings of an e-mail address that differ in case only, or in that of an international host. Two people may share
 * it.
 */
export const emailKey = (email: string) => exactEmail(email).toLowerCase()

/** An e-mail address as one mailbox has it: the case of the host means nothing, that of the part before it may. */
export function exactEmail(email: string): string {
  const { local, host } = partsOf(email)
  const unicode = domainToUnicode(host)
  return local + (unicode === '' ? host.toLowerCase() : unicode)
}

/** An e-mail address in each spelling of its host, in lower case: as it was typed, in letters, and as `xn--…`. */
export function emailSpellings(email: string): readonly string[] {
  const { local, host } = partsOf(email)
  const hosts = [host, domainToUnicode(host), domainToASCII(host)].filter((one) => one !== '')
  return [...new Set(hosts.map((one) => (local + one).toLowerCase()))]
}

function partsOf(email: string) {
  const text = plainText(email).trim().normalize('NFC')
  const at = text.lastIndexOf('@') + 1
  return { local: text.slice(0, at), host: text.slice(at) }
}
