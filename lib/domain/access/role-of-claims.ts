import type { StaffRole } from './roles.ts'

/** How a provider of single sign-on says what somebody may do here. */
export interface RoleClaim {
  /** The claim’s name; `a.b` is also `b` within `a`. */
  readonly claim: string
  /** Which of its values gives which role. */
  readonly roles: ReadonlyMap<string, StaffRole>
}

/** The strongest role that these claims give; null when none of the claim's values is mapped. */
export function roleOfClaims(
  claims: Readonly<Record<string, unknown>>,
  { claim, roles }: RoleClaim,
): StaffRole | null {
  const value = readClaim(claims, claim)
  const values = Array.isArray(value) ? value : [value]
  const given = new Set(values.map((one) => (typeof one === 'string' ? roles.get(one) : undefined)))
  return strongestFirst.find((role) => given.has(role)) ?? null
}

const strongestFirst = ['admin', 'compliance', 'support', 'auditor'] as const satisfies readonly StaffRole[]

/** A claim by its whole name, as Auth0 names them by addresses, or within others, as Keycloak nests them. */
function readClaim(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let at: unknown = claims
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = Reflect.get(at, part)
  }
  return at
}
