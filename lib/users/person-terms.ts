import 'server-only'
import { emailKey } from './email-key.ts'

/** What a person can be found by. */
export interface TermSource {
  readonly userUuid: string
  readonly email: string | null
  readonly targetAddress: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly customerNumber: string | null
}

/** Every text that a person is found by, from its beginning, as `toTerm` writes it. */
export function personTerms(person: TermSource): string[] {
  const { userUuid, email, targetAddress, firstName, lastName, customerNumber } = person
  const name = [firstName, lastName].filter(Boolean).join(' ')
  const found = [
    userUuid,
    email && emailKey(email),
    targetAddress,
    customerNumber,
    ...[name, lastName, ...(lastName?.split(/\s+/) ?? [])],
  ]
  return [...new Set(found.map((text) => toTerm(text ?? '')))].filter((term) => term !== '')
}

/** The form in which people are looked up: lower case, without accents, single spaces, at most 200 characters. */
export const toTerm = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s\0]+/g, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()
