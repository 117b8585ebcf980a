import 'server-only'
import net from 'node:net'
import os from 'node:os'
import { z } from 'zod'
import { type StaffRole, staffRoles } from '#lib/access/rules/roles.ts'
import { shardCount } from '#lib/deliveries/rules/subject.ts'
import { OperatorError } from '../operator-error.ts'
import { environmentColors } from '../rules/environment.ts'
import { isUuid } from '../rules/ids.ts'
import { parseSender, readMailServer } from '../rules/mail-address.ts'
import {
  isEncryptedOrLocal,
  isReadable,
  nameVerifyFull,
  parameterOf,
  severalHosts,
} from './database-address.ts'
import { baseSchema, headersSchema, hostSchema, serviceSchema, webSchema } from './web-address.ts'

/** Each role is work that may run on machines of its own. Decision 0149. */
export const processRoles = ['web', 'receiver', 'projector', 'live'] as const

export type ProcessRole = (typeof processRoles)[number]

/** Each line names a setting, the problem and an example. */
export class ConfigurationError extends OperatorError {}

export const groupPairs = [
  ['ROLE', 'DATABASE_URL'],
  ['ROLE', 'SERVICE_BASE_URL'],
] as const

/** The first setting is useless without the second. */
export const pairs = [
  ['SERVICE_BASE_URL', 'SERVICE_API_KEY'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['MAIL_FROM', 'SMTP_URL'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_ROLE_CLAIM', 'OIDC_ROLE_MAP'],
  ['OIDC_ROLE_MAP', 'OIDC_ROLE_CLAIM'],
  ['OIDC_CLIENT_ID', 'OIDC_ISSUER'],
  ['OIDC_CLIENT_SECRET', 'OIDC_ISSUER'],
  ['OIDC_NAME', 'OIDC_ISSUER'],
  ['OIDC_SCOPE', 'OIDC_ISSUER'],
  ['OIDC_ROLE_CLAIM', 'OIDC_ISSUER'],
  ['DATABASE_DIRECT_URL', 'DATABASE_URL'],
  ['DATABASE_MIGRATE_URL', 'DATABASE_URL'],
  ['DATABASE_READ_URL', 'DATABASE_URL'],
  ['DATABASE_DURABILITY', 'DATABASE_URL'],
  // Without the service, the database would be bound to the sandbox for ever.
  ['SERVICE_API_KEY', 'SERVICE_BASE_URL'],
] as const

const portSchema = z.coerce
  .number('must be a port number')
  .int()
  .min(1, 'must be 1 to 65535')
  .max(65535, 'must be 1 to 65535')

const databaseSchema = z
  .string()
  .trim()
  .regex(/^postgres(ql)?:\/\//, { error: 'must be a PostgreSQL address', abort: true })
  .regex(/^\S*$/, { error: 'must not have a blank in it: write a blank as %20', abort: true })
  .refine((text) => !severalHosts.test(text), {
    error: 'must name one host: name the one that takes writes, or a pooler that knows it',
    abort: true,
  })
  .refine(isReadable, {
    error: 'cannot be read as an address: write signs in the password such as # / ? % as %23 %2F %3F %25',
    abort: true,
  })
  .refine((text) => ['public', ''].includes(parameterOf(text, 'schema')), {
    error:
      "must not name a schema: Rampart's tables are in public. Leave schema=… out, or give a database of its own",
    abort: true,
  })
  .refine(
    isEncryptedOrLocal,
    'must use TLS, since the database is on another machine: add ?sslmode=verify-full, or sslmode=no-verify where its certificate cannot be checked',
  )
  .transform(nameVerifyFull)

export const TracingVariablesSchema = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: baseSchema.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headersSchema.default({}),
  OTEL_SERVICE_NAME: z.string().default('rampart'),
})

const proxiesSchema = z.string().refine((text) => toBlockList(text) !== null, {
  error: 'must be addresses or networks with commas between them',
})

const apiKeySchema = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces')

const roleMapSchema = z
  .string()
  .refine(
    (text) => toRoleMap(text) !== null,
    `must be value=role with commas between them, roles being ${staffRoles.join(', ')}; values with a comma in them as JSON, such as {"Ops, Lisbon":"support"}`,
  )

const smtpSchema = z.string().transform((text, { addIssue }) => {
  const server = readMailServer(text)
  if (typeof server !== 'string') return server
  addIssue(server)
  return z.NEVER
})

const senderSchema = z.string().transform((text, { addIssue }) => {
  const sender = parseSender(text)
  if (sender !== null) return sender
  addIssue('must be an e-mail address, or a name and then an e-mail address in <>')
  return z.NEVER
})

/** The text has the form `secret,secret`, newest first. */
export const toSecrets = (text: string) => text.split(/\s*,\s*/)

/** Our own examples had these words in place of secrets, and everybody can read them. */
const isOfExample = (secret: string) => secret.startsWith('MADE-ONCE-')

const notOfExample = 'must be a secret of your own: this one stands in an example that everybody can read'

const secretSchema = z
  .string()
  .refine(
    (text) => toSecrets(text).every((secret) => secret.length >= 32),
    'must have at least 32 characters, as must each of a list with commas',
  )
  .refine((text) => !toSecrets(text).some(isOfExample), notOfExample)

/** A key of zeros stays readable behind another one, so that what it sealed can be moved. */
const keysSchema = z
  .string()
  .regex(/^[\w-]+:[A-Za-z0-9+/]{43}=(,[\w-]+:[A-Za-z0-9+/]{43}=)*$/, {
    error: 'must be id:key, newest first, each key 32 bytes in base64',
    abort: true,
  })
  .refine(
    (text) => !/^[\w-]+:A+=/.test(text),
    'must begin with a key of your own: 32 bytes of zeros are known to everybody',
  )
  .refine((text) => {
    const ids = text.split(',').map((part) => part.split(':')[0])
    return new Set(ids).size === ids.length
  }, 'must have another id for each key: what is sealed names its key by the id')

const uuidsSchema = z
  .string()
  .refine(
    (text) => text.split(',').every((part) => isUuid(part.trim())),
    'must be user uuids with commas between them',
  )

const minutes = (usual: number) =>
  z.coerce
    .number('must be a number of minutes')
    .int('must be whole minutes')
    .min(5, 'must be 5 to 43200 minutes')
    .max(43_200, 'must be 5 to 43200 minutes')
    .default(usual)

export const logLevelSchema = z.enum(
  ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  'must be fatal, error, warn, info, debug, trace or silent',
)

const rolesSchema = z
  .string()
  .default('all')
  .transform((text, { addIssue }): readonly ProcessRole[] => {
    const names = text.split(',').map((name) => name.trim())
    const unknown = names.find((name) => name !== 'all' && !processRoles.some((role) => role === name))
    if (unknown === undefined)
      return processRoles.filter((role) => names.includes('all') || names.includes(role))
    addIssue(
      `must be all, or some of ${processRoles.join(', ')} with commas between them, not ${unknown || 'empty'}`,
    )
    return z.NEVER
  })

export const StartVariablesSchema = z.object({
  PORT: portSchema.default(3000),
  ROLE: rolesSchema,
  LISTEN: z
    .union([z.ipv4(), z.ipv6()], 'must be an IP address of this machine, 0.0.0.0 for every one')
    .optional(),
  SANDBOX_PORT: portSchema.default(4010),
  RAMPART_DATA_DIR: z.string().min(1).default('.data'),
  PUBLIC_URL: hostSchema.optional(),
  DATABASE_URL: databaseSchema.optional(),
  DATABASE_DIRECT_URL: databaseSchema.optional(),
  DATABASE_MIGRATE_URL: databaseSchema.optional(),
  DATABASE_READ_URL: databaseSchema.optional(),
  DATABASE_CONNECTIONS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(12, 'must be 12 to 1000')
    .max(1000, 'must be 12 to 1000')
    .optional(),
  DATABASE_DURABILITY: z.enum(['checked', 'assured'], 'must be checked or assured').default('checked'),
  SERVICE_BASE_URL: serviceSchema.optional(),
  SERVICE_API_KEY: apiKeySchema.optional(),
  SANDBOX_DATABASE_URL: databaseSchema.optional(),
  SANDBOX_API_KEY: apiKeySchema.min(16, 'must have at least 16 characters').optional(),
  NEXTAUTH_SECRET: secretSchema.optional(),
  RAMPART_KEYS: keysSchema.optional(),
  RAMPART_ADMINS: uuidsSchema.optional(),
  RAMPART_ENVIRONMENT: z
    .string()
    .trim()
    .regex(
      /^[\p{L}\p{N}][\p{L}\p{N} .-]{0,19}$/u,
      'must have 1 to 20 letters, digits, blanks, dots or dashes',
    )
    .optional(),
  RAMPART_ENVIRONMENT_COLOR: z.enum(environmentColors, `must be ${environmentColors.join(', ')}`).optional(),
  RAMPART_LOG_LEVEL: logLevelSchema.optional(),
  RAMPART_LOG_TO: z.enum(['files', 'stdout'], 'must be files or stdout').default('files'),
  RAMPART_MACHINE: z
    .string()
    .regex(/^[\w.-]{1,253}$/, 'must be a name of letters, digits, dots and dashes')
    .optional(),
  RAMPART_COMMIT: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be the name of a commit')
    .optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\w.~+/=-]{32,}$/, 'must have at least 32 characters that a bearer token may have')
    .refine((token) => !isOfExample(token), notOfExample)
    .optional(),
  AUDIT_HEAD_URL: webSchema.optional(),
  TRUSTED_PROXIES: proxiesSchema.default('127.0.0.0/8,::1'),
  STAFF_SIGN_IN: z.enum(['any', 'passkey-or-sso'], 'must be any or passkey-or-sso').optional(),
  OIDC_ISSUER: baseSchema.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(60, 'must have at most 60 characters').default('Single sign-on'),
  OIDC_SCOPE: z
    .string()
    .regex(/(^| )openid( |$)/, 'must hold openid')
    .default('openid profile email'),
  OIDC_ROLE_CLAIM: z.string().optional(),
  OIDC_ROLE_MAP: roleMapSchema.optional(),
  SMTP_URL: smtpSchema.optional(),
  MAIL_FROM: senderSchema.optional(),
  STAFF_IDLE_MINUTES: minutes(30),
  STAFF_SESSION_MINUTES: minutes(12 * 60),
  USER_IDLE_MINUTES: minutes(12 * 60),
  USER_SESSION_MINUTES: minutes(24 * 60),
  WALLETCONNECT_PROJECT_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits, as WalletConnect shows them')
    .optional(),
  PROJECTORS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be 1 to 64')
    .max(64, 'must be 1 to 64')
    .default(() => Math.min(shardCount, Math.max(1, Math.floor(os.availableParallelism() / 2)))),
})

export const DatabaseVariablesSchema = StartVariablesSchema.pick({
  RAMPART_DATA_DIR: true,
  DATABASE_URL: true,
  DATABASE_DIRECT_URL: true,
  DATABASE_MIGRATE_URL: true,
})

export const ServerVariablesSchema = StartVariablesSchema.extend({
  NODE_ENV: z.string().default('production'),
  PUBLIC_URL: hostSchema,
  DATABASE_URL: databaseSchema,
  SERVICE_BASE_URL: serviceSchema,
  SERVICE_API_KEY: apiKeySchema,
  NEXTAUTH_SECRET: secretSchema,
  RAMPART_KEYS: keysSchema,
  /** `npm start` sets this variable when it has started the sandbox. People do not set it. */
  RAMPART_SANDBOX_URL: webSchema.optional(),
})

/** The list is null when a part is neither an address nor a network. */
export function toBlockList(text: string): net.BlockList | null {
  const list = new net.BlockList()
  for (const part of text.split(',').map((one) => one.trim())) {
    const [address = '', bits] = part.split('/')
    const family = net.isIP(address)
    if (family === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null
    const most = family === 6 ? 128 : 32
    if (Number(bits ?? most) > most) return null
    list.addSubnet(address, Number(bits ?? most), family === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

export const examples: Record<string, string> = {
  PORT: '3000',
  ROLE: 'receiver,projector',
  RAMPART_LOG_TO: 'stdout',
  RAMPART_COMMIT: '99e03e68c7b0',
  RAMPART_MACHINE: 'web-1',
  METRICS_TOKEN: 'the output of: openssl rand -base64 32',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20TOKEN',
  LISTEN: '0.0.0.0',
  SANDBOX_PORT: '4010',
  RAMPART_DATA_DIR: '.data',
  PUBLIC_URL: 'https://dash.example.com',
  DATABASE_URL: 'postgresql://rampart:PASSWORD@db.example.com:5432/rampart?sslmode=verify-full',
  DATABASE_DIRECT_URL: 'postgresql://rampart:PASSWORD@db.example.com:5432/rampart?sslmode=verify-full',
  DATABASE_MIGRATE_URL: 'postgresql://owner:PASSWORD@db.example.com:5432/rampart?sslmode=verify-full',
  DATABASE_READ_URL: 'postgresql://rampart:PASSWORD@replica.example.com:5432/rampart?sslmode=verify-full',
  DATABASE_CONNECTIONS: '31',
  DATABASE_DURABILITY: 'assured',
  SERVICE_BASE_URL: 'https://api.example.com/onboarding',
  SERVICE_API_KEY: 'the key the service gave you',
  SANDBOX_DATABASE_URL: 'postgresql://sandbox:PASSWORD@db.example.com:5432/sandbox?sslmode=verify-full',
  SANDBOX_API_KEY: 'any 16 characters or more',
  NEXTAUTH_SECRET: 'the output of: openssl rand -base64 32',
  RAMPART_KEYS: 'k1:$(openssl rand -base64 32)',
  PROJECTORS: '2',
  RAMPART_LOG_LEVEL: 'info',
  TRUSTED_PROXIES: '127.0.0.1,10.0.0.5',
  AUDIT_HEAD_URL: 'https://notary.example.com/audit-heads',
  STAFF_SIGN_IN: 'passkey-or-sso',
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'rampart',
  OIDC_CLIENT_SECRET: 'the secret the provider gave you',
  OIDC_NAME: 'Example login',
  OIDC_SCOPE: 'openid profile email groups',
  OIDC_ROLE_CLAIM: 'groups',
  OIDC_ROLE_MAP: 'rampart-admins=admin,helpdesk=support',
  SMTP_URL: 'smtp://rampart:PASSWORD@mail.example.com:587',
  MAIL_FROM: 'Rampart <rampart@example.com>',
  STAFF_IDLE_MINUTES: '30',
  STAFF_SESSION_MINUTES: '720',
  USER_IDLE_MINUTES: '720',
  USER_SESSION_MINUTES: '1440',
  WALLETCONNECT_PROJECT_ID: '0123456789abcdef0123456789abcdef',
  RAMPART_ENVIRONMENT: 'Sandbox',
  RAMPART_ENVIRONMENT_COLOR: 'orange',
  RAMPART_ADMINS: '8f4d2c1e-0000-4000-8000-000000000000',
}

/** `missing` has a line for each setting that is missing beside what the schema requires. */
export function parse<T extends z.ZodType>(
  schema: T,
  variables: NodeJS.ProcessEnv,
  missing: readonly string[] = [],
): z.output<T> {
  // An empty variable counts as missing, because shells and compose files write it so.
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const result = schema.safeParse(given)
  if (result.success && missing.length === 0) return result.data
  const issues = result.error?.issues ?? []
  const wrong = [...new Set(issues.map(({ path }) => String(path[0])))].map((name) => {
    const message = issues.find(({ path }) => path[0] === name)?.message ?? 'is wrong'
    return `${name} ${given[name] === undefined ? 'is missing' : message}. Example: ${name}=${examples[name]}`
  })
  throw new ConfigurationError([...wrong, ...missing].join('\n'))
}

/** The text is `value=role,value=role` or `{"value":"role"}`. The result is null for anything else. */
export function toRoleMap(text: string): ReadonlyMap<string, StaffRole> | null {
  if (text.trim().startsWith('{')) return readJsonMap(text)
  const roles = new Map<string, StaffRole>()
  for (const part of text.split(',')) {
    const [, value = '', name] = /^(.+)=(\w+)$/.exec(part.trim()) ?? []
    const role = staffRoles.find((known) => known === name)
    // A part of a distinguished name was cut at its comma: `CN=admin,OU=groups`.
    if (!role || value.trim() === '' || roles.has(value.trim()) || /^(cn|ou|dc|o)$/i.test(value.trim()))
      return null
    roles.set(value.trim(), role)
  }
  return roles
}

function readJsonMap(text: string): ReadonlyMap<string, StaffRole> | null {
  try {
    const read = RoleMapSchema.safeParse(JSON.parse(text)).data ?? {}
    const roles = new Map(Object.entries(read))
    return roles.size > 0 ? roles : null
  } catch {
    return null
  }
}

const RoleMapSchema = z.record(z.string().trim().min(1), z.enum(staffRoles))
