import 'server-only'
import { domainToASCII, domainToUnicode } from 'node:url'
import { plainText } from '#lib/platform/rules/pasted-text.ts'
import { visibleText } from '#lib/platform/rules/visible-text.ts'

/** Both names in one, as they may be shown; null where neither is known, or has anything to see. */
export const fullName = (row: {
  readonly first_name: string | null
  readonly last_name: string | null
}): string | null =>
  [row.first_name, row.last_name].flatMap((name) => visibleText(name) ?? []).join(' ') || null

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

/** What a person can be found by, as a row of `person` has it. */
export interface TermSource {
  readonly user_uuid: string
  readonly email: string | null
  readonly target_address: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly customer_number: string | null
}

/** For a SELECT: what `personTerms` reads. */
export const termSources = 'user_uuid, email, target_address, first_name, last_name, customer_number'

/** Every text that a person is found by, from its beginning, as `toTerm` writes it. */
export function personTerms(person: TermSource): string[] {
  const { user_uuid, email, target_address, first_name, last_name, customer_number } = person
  const name = [first_name, last_name].filter(Boolean).join(' ')
  const found = [
    user_uuid,
    email && emailKey(email),
    target_address,
    customer_number,
    ...[name, last_name, ...(last_name?.split(/\s+/) ?? [])],
  ]
  return [...new Set(found.map((text) => toTerm(text ?? '')))].filter((term) => term !== '')
}

/** The form in which people are looked up: plain, in lower case, without accents, single spaces, at most 200 characters. */
export const toTerm = (text: string): string =>
  plainText(text.replaceAll('\0', ' '))
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()
