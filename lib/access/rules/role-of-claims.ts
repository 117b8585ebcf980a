import type { StaffRole } from './roles.ts'

/** A single sign-on provider says by this claim which role somebody has here. */
export interface RoleClaim {
  /** The claim has this name; `a.b` is also `b` within `a`. */
  readonly claim: string
  /** Each value of the claim gives one role. */
  readonly roles: ReadonlyMap<string, StaffRole>
}

export type ClaimSet = Readonly<Record<string, unknown>>

/** `none`: the provider named values, and none is mapped. The last two results say nothing about the role. */
export type ClaimedRole =
  | { readonly kind: 'role'; readonly role: StaffRole }
  | { readonly kind: 'none' }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unreadable' }

/**
 * This returns the strongest role that the claims give. The first set that names values in the claim counts, such as the
 * identity token before UserInfo; an empty list counts only where no set names one.
 */
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

/**
 * The first set that has the claim gives its value, an empty list only when no other value was found; undefined when none
 * does. Null and an empty text say nothing (OpenID Connect Core 5.3.2).
 */
export function findClaim(sets: readonly ClaimSet[], name: string): unknown {
  const said = sets.flatMap((set) => readClaim(set, name.split('.'))).filter(isSaid)
  return said.find((value) => !isEmptyList(value)) ?? said[0]
}

const isSaid = (value: unknown) =>
  value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '')

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

/**
 * The claim is found by its whole name, as Auth0 writes it (an address), or nested, as Keycloak writes it. Keys
 * may contain dots, such as the id of a client. The result has the values of all these spellings.
 */
function readClaim(within: unknown, parts: readonly string[]): readonly unknown[] {
  if (parts.length === 0) return [within]
  if (!isObject(within)) return []
  return parts.toReversed().flatMap((_part, shorter) => {
    const length = parts.length - shorter
    const key = parts.slice(0, length).join('.')
    return Object.hasOwn(within, key) ? readClaim(within[key], parts.slice(length)) : []
  })
}

/** A set may say that the claim, or all of them, must be asked for elsewhere (OpenID Connect Core 5.6.2). */
function isElsewhere({ _claim_names: names }: ClaimSet, claim: string): boolean {
  return isObject(names) && Object.keys(names).some((name) => name === claim || claim.startsWith(`${name}.`))
}

const isGroups = (claim: string) => claim === 'groups' || claim.startsWith('groups.')

/** Entra ID sets `hasgroups` when somebody is in more groups than the token has room for. */
const hasMoreGroups = ({ hasgroups }: ClaimSet) => hasgroups === true || hasgroups === 'true'

/** The names come from a list, one value, or the keys of an object; null for any other form. */
function readNames(value: unknown): readonly string[] | null {
  if (isObject(value)) return readKeys(value)
  const names = (Array.isArray(value) ? value : [value]).map(readName)
  return names.every((name) => name !== null) ? names : null
}

function readName(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  return Number.isSafeInteger(value) || typeof value === 'boolean' ? String(value) : null
}

/** ZITADEL writes roles like this: `{"helpdesk": {"id": "example.com"}}`. A list within it belongs to another claim. */
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
 * A single text may be a list that nobody split, with a role in it. A list of several names was split already;
 * a list of one name may hold a name with a blank.
 */
function isUnsplit(value: unknown, names: readonly string[], roles: RoleClaim['roles']): boolean {
  const [name, ...others] = names
  if (name === undefined || others.length > 0 || isObject(value) || roleOf(name, roles)) return false
  const separator = Array.isArray(value) ? separators : noSignOfNames
  return [...roles.keys()].some((mapped) => standsApart(name, mapped, separator))
}

const separators = /[,;|"'[\]{}\n]/
const noSignOfNames = /[^\p{L}\p{M}\p{N}_.:@=/\\&+~-]/u

/** A mapped value counts when a separator, or an end of the text, is on both sides of it. */
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
