import 'server-only'
import { plainText } from '#lib/platform/rules/pasted-text.ts'
import { emailKey } from './email-key.ts'

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
