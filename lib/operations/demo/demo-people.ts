import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'

/** Who signs in to the demo. They exist in the sandbox and, staff aside from end users, as members. */
export const demoPeople: readonly {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  readonly role: Role
}[] = [
  { email: 'admin@demo.test', firstName: 'Demo', lastName: 'Admin', country: 'ES', role: 'admin' },
  { email: 'support@demo.test', firstName: 'Demo', lastName: 'Support', country: 'ES', role: 'support' },
  { email: 'ana@demo.test', firstName: 'Ana', lastName: 'Demo', country: 'ES', role: 'end-user' },
  { email: 'ben@demo.test', firstName: 'Ben', lastName: 'Demo', country: 'DE', role: 'end-user' },
  { email: 'cleo@demo.test', firstName: 'Cleo', lastName: 'Demo', country: 'FR', role: 'end-user' },
]
