import type { StaffRole } from './roles.ts'

/** How a provider of single sign-on says what somebody may do here. */
export interface RoleClaim {
  /** The claim’s name; `a.b` is also `b` within `a`. */
  readonly claim: string
  /** Which of its values gives which role. */
  readonly roles: ReadonlyMap<string, StaffRole>
}

/** Claims of one answer, such as an identity token. */
export type ClaimSet = Readonly<Record<string, unknown>>

/** `none`: the provider said which values somebody has, and none is mapped. The last two say nothing about the role. */
export type ClaimedRole =
  | { readonly kind: 'role'; readonly role: StaffRole }
  | { readonly kind: 'none' }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unreadable' }

/** The strongest role that these claims give. Of several sets, such as identity token and UserInfo, the first that has the claim counts. */
export function roleOfClaims(sets: readonly ClaimSet[], { claim, roles }: RoleClaim): ClaimedRole {
  const value = findClaim(sets, claim)
  if (value === undefined || sets.some((set) => isElsewhere(set, claim))) return { kind: 'not-sent' }
  const names = readNames(value)
  if (names === null || isUnsplit(value, names, roles)) return { kind: 'unreadable' }
  const given = new Set(names.map((name) => roleOf(name, roles)))
  const role = strongestFirst.find((one) => given.has(one))
  if (role) return { kind: 'role', role }
  return isGroups(claim) && sets.some(hasMoreGroups) ? { kind: 'not-sent' } : { kind: 'none' }
}

const strongestFirst = ['admin', 'compliance', 'support', 'auditor'] as const satisfies readonly StaffRole[]

/** Its value in the first set that has it; undefined where none does. Null and an empty text say nothing (OpenID Connect Core 5.3.2). */
export const findClaim = (sets: readonly ClaimSet[], name: string): unknown =>
  sets.map((set) => readClaim(set, name.split('.'))).find(isSaid)

const isSaid = (value: unknown) =>
  value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '')

/**
 * A claim by its whole name, as Auth0 names them by addresses, or within others, as Keycloak nests them: by keys that may hold
 * dots themselves, such as the id of a client.
 */
function readClaim(within: unknown, parts: readonly string[]): unknown {
  if (parts.length === 0) return within
  if (!isObject(within)) return undefined
  for (let length = parts.length; length > 0; length--) {
    const key = parts.slice(0, length).join('.')
    const found = Object.hasOwn(within, key) ? readClaim(within[key], parts.slice(length)) : undefined
    if (isSaid(found)) return found
  }
  return undefined
}

/** Answers whether a set says that (all of) the claim must be asked for elsewhere (OpenID Connect Core 5.6.2). */
function isElsewhere({ _claim_names: names }: ClaimSet, claim: string): boolean {
  return isObject(names) && Object.keys(names).some((name) => name === claim || claim.startsWith(`${name}.`))
}

const isGroups = (claim: string) => claim === 'groups' || claim.startsWith('groups.')

/** Entra ID: somebody is in groups that the token has no room for. */
const hasMoreGroups = ({ hasgroups }: ClaimSet) => hasgroups === true || hasgroups === 'true'

/** Null for a form that is none of these: a list, one value, or an object whose keys are the names. */
function readNames(value: unknown): readonly string[] | null {
  if (isObject(value)) return readKeys(value)
  const names = (Array.isArray(value) ? value : [value]).map(readName)
  return names.every((name) => name !== null) ? names : null
}

function readName(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  return Number.isSafeInteger(value) || typeof value === 'boolean' ? String(value) : null
}

/** ZITADEL writes roles like this: `{"helpdesk": {"id": "example.com"}}`. A list within is what another claim holds. */
function readKeys(value: ClaimSet): readonly string[] | null {
  const entries = Object.entries(value)
  const isReadable = entries.every(
    ([, one]) =>
      typeof one === 'boolean' ||
      (isObject(one) && Object.values(one).every((text) => typeof text === 'string')),
  )
  if (entries.length === 0 || !isReadable) return null
  return entries.flatMap(([name, one]) => (one === false ? [] : [name]))
}

/** Keycloak writes a group with its path: `/helpdesk`. */
const roleOf = (name: string, roles: RoleClaim['roles']) =>
  roles.get(name) ?? (name.startsWith('/') ? roles.get(name.slice(1)) : undefined)

/**
 * Answers whether one text, taken as a list, would give a role that it does not give as a name. A list of several names was
 * split already, and a blank may belong to the only name of a list.
 */
function isUnsplit(value: unknown, names: readonly string[], roles: RoleClaim['roles']): boolean {
  const [name, ...others] = names
  if (name === undefined || others.length > 0 || isObject(value) || roleOf(name, roles)) return false
  const separator = Array.isArray(value) ? separators : noSignOfNames
  return [...roles.keys()].some((mapped) => standsApart(name, mapped, separator))
}

const separators = /[,;|"'[\]{}\n]/
const noSignOfNames = /[^\p{L}\p{M}\p{N}_.:@=/\\&+~-]/u

/** Answers whether a separator, or an end of the text, stands on both sides of a mapped value. */
function standsApart(text: string, mapped: string, separator: RegExp): boolean {
  const isEdge = (sign: string | undefined) => sign === undefined || separator.test(sign)
  return text.split(mapped).some((piece, at, pieces) => {
    const after = pieces[at + 1]
    if (after === undefined) return false
    const before = piece.replace(/\/$/, '')
    return (
      (isEdge(before.at(-1)) || isEdge(before.trimEnd().at(-1))) &&
      (isEdge(after.at(0)) || isEdge(after.trimStart().at(0)))
    )
  })
}

const isObject = (value: unknown): value is ClaimSet =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
