import 'server-only'
import { domainToASCII, domainToUnicode } from 'node:url'
import { plainText } from '#lib/platform/rules/pasted-text.ts'
import { visibleText } from '#lib/platform/rules/visible-text.ts'

/** Both names together may be shown; null when neither is known, or neither is visible. */
export const fullName = (row: {
  readonly first_name: string | null
  readonly last_name: string | null
}): string | null =>
  [row.first_name, row.last_name].flatMap((name) => visibleText(name) ?? []).join(' ') || null

/**
 * The key is the same for all spellings of an e-mail address that differ only in case, or in an international
 * host. Two people may share it.
 */
export const emailKey = (email: string) => exactEmail(email).toLowerCase()

/** One mailbox has this address: the case of the host means nothing, that of the part before it may. */
export function exactEmail(email: string): string {
  const { local, host } = partsOf(email)
  const unicode = domainToUnicode(host)
  return local + (unicode === '' ? host.toLowerCase() : unicode)
}

/** The address is written in each spelling of its host, in lower case: as it was typed, in letters, and as `xn--…`. */
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

/** A person can be found by these columns of `person`. */
export interface TermSource {
  readonly user_uuid: string
  readonly email: string | null
  readonly target_address: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly customer_number: string | null
}

/** `personTerms` reads these columns of a SELECT. */
export const termSources = 'user_uuid, email, target_address, first_name, last_name, customer_number'

/** A person is found by the beginning of each of these texts, as `toTerm` writes them. */
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

/** People are looked up in this form: plain, in lower case, without accents, single spaces, at most 200 characters. */
export const toTerm = (text: string): string =>
  plainText(text.replaceAll('\0', ' '))
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()
