import 'server-only'
import { z } from 'zod'
import { ServerVariablesSchema } from './variables.ts'

/** The dashboard starts these programs beside its server, each with the variables that it needs. */
export const ofParts = {
  live: [
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'DATABASE_READ_URL',
    'RAMPART_ADMINS',
    'STAFF_SIGN_IN',
    'STAFF_IDLE_MINUTES',
    'STAFF_SESSION_MINUTES',
    'USER_IDLE_MINUTES',
    'USER_SESSION_MINUTES',
  ],
  projector: ['DATABASE_URL', 'DATABASE_DIRECT_URL'],
  maintenance: ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_MIGRATE_URL'],
} as const

/** Every part gets these variables. Secrets and their owners are not among them. */
const ofEveryPart = [
  'NODE_ENV',
  'PORT',
  'PUBLIC_URL',
  'RAMPART_COMMIT',
  'RAMPART_SANDBOX_URL',
  'ROLE',
].concat('RAMPART_LOG_LEVEL', 'DATABASE_CONNECTIONS', 'PROJECTORS')

export const PartSchema = z.enum(['live', 'projector', 'maintenance']).optional()

/** `variablesFor` is the environment for one of our programs: it has all foreign variables, and our own only when needed. */
export function variablesFor(
  part: keyof typeof ofParts,
  variables: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const ours = new Set([...Object.keys(ServerVariablesSchema.shape), 'NEXTAUTH_URL'])
  const needed = new Set<string>([...ofEveryPart, ...ofParts[part]])
  const given = Object.entries(variables).filter(([name]) => !ours.has(name) || needed.has(name))
  return { ...Object.fromEntries(given), NODE_ENV: variables.NODE_ENV, RAMPART_PART: part }
}
