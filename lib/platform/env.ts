import 'server-only'
import net from 'node:net'
import os from 'node:os'
import { z } from 'zod'
import type { RoleClaim } from '#lib/access/rules/role-of-claims.ts'
import { type StaffRole, staffRoles } from '#lib/access/rules/roles.ts'
import { OperatorError } from './operator-error.ts'
import { type Environment, environmentColors, environmentOf } from './rules/environment.ts'
import { isUuid } from './rules/ids.ts'
import { type MailSender, type MailServer, parseSender, readMailServer } from './rules/mail-address.ts'
import { nearestName } from './rules/names.ts'
import { isLoopbackHost } from './rules/network-addresses.ts'

/** A key encrypts and digests: 32 random bytes with a name that is stored beside the protected data. */
export interface Key {
  readonly id: string
  readonly bytes: Buffer
}

/** `Env` is the complete and checked configuration of the dashboard's server. */
export interface Env {
  /** Development mode compiles pages on demand, and reloads them when their source changes. */
  readonly dev: boolean
  readonly port: number
  /** The processes of this start do this work. */
  readonly roles: readonly ProcessRole[]
  /** The server listens on this address of the machine. */
  readonly listen: string
  readonly publicUrl: URL
  readonly databaseUrl: string
  /** LISTEN needs a direct connection that bypasses any pooler. */
  readonly databaseDirectUrl: string
  readonly databaseMigrateUrl: string
  readonly databaseReadUrl: string
  /** All processes of this machine together may have this many connections. */
  readonly databaseConnections: number
  /** So many processes fold deliveries, 1 to 64; 0 without the role. */
  readonly projectors: number
  /** The part names the program that this process runs beside the server. */
  readonly part: 'live' | 'projector' | 'maintenance' | undefined
  /** The platform keeps commits, although its settings do not say so. */
  readonly isDurabilityAssured: boolean
  readonly serviceBaseUrl: URL
  readonly serviceApiKey: string
  /** The newest secret is first. It signs, and all of them read. */
  readonly nextauthSecrets: readonly [string, ...string[]]
  /** The newest key is first. It writes, and all of them read. */
  readonly keys: readonly [Key, ...Key[]]
  /** These `user_uuid`s are admins whatever the database says. */
  readonly admins: readonly string[]
  /** These proxies may name the caller of a request in `X-Forwarded-For`. */
  readonly trustedProxies: net.BlockList
  /** The end of the audit chain is posted to this address, beside the log; null for none. */
  readonly auditHeadUrl: URL | null
  /** The token opens the metrics for a caller on another machine; null for none. */
  readonly metricsToken: string | null
  /** With `any`, a wallet or an e-mail code is enough for a staff role. */
  readonly staffSignIn: 'any' | 'passkey-or-sso'
  /** The merchant's own provider of single sign-on is for staff; null for none. */
  readonly singleSignOn: SingleSignOn | null
  /** The mail server sends with this sender; null when Rampart sends no mail. */
  readonly mail: { readonly server: MailServer; readonly from: MailSender } | null
  /** Session lifetimes are in minutes: without use, and in total. */
  readonly sessions: {
    readonly staff: SessionLifetime
    readonly endUser: SessionLifetime
  }
  /** The sandbox is the service at this address; null for a real service. Only the sandbox has demo data and demo people. */
  readonly sandboxUrl: URL | null
  /** All pages show this environment; null for none. */
  readonly environment: Environment | null
  /** The merchant's id at WalletConnect is null when wallets on other devices are not offered. */
  readonly walletConnectProjectId: string | null
}

/** Each role is work that may run on machines of its own. Decision 0149. */
export const processRoles = ['web', 'receiver', 'projector', 'live'] as const
export type ProcessRole = (typeof processRoles)[number]

export interface SessionLifetime {
  readonly idleMinutes: number
  readonly longestMinutes: number
}

export interface SingleSignOn {
  readonly issuer: URL
  readonly clientId: string
  /** The secret is null for a client that is protected by PKCE alone. */
  readonly clientSecret: string | null
  /** Staff know the provider by this name. */
  readonly name: string
  readonly scope: string
  /** The claim is null when members have the role that an admin gave them. */
  readonly roleClaim: RoleClaim | null
}

/** A person may set these settings. The others are generated once and stored in the data directory. */
export interface StartSettings {
  readonly port: number
  readonly roles: readonly ProcessRole[]
  /** The logs of all processes go to files of the data directory, or to the standard output. */
  readonly logTo: 'files' | 'stdout'
  readonly sandboxPort: number
  /** The server was asked to listen on this address of the machine. */
  readonly listen: string | undefined
  readonly dataDir: string
  readonly publicUrl: string | undefined
  readonly databaseUrl: string | undefined
  readonly databaseDirectUrl: string | undefined
  readonly databaseMigrateUrl: string | undefined
  readonly databaseReadUrl: string | undefined
  readonly databaseConnections: number | undefined
  readonly serviceBaseUrl: string | undefined
  readonly serviceApiKey: string | undefined
  readonly sandboxDatabaseUrl: string | undefined
  readonly sandboxApiKey: string | undefined
  readonly nextauthSecret: string | undefined
  readonly keys: string | undefined
  readonly admins: string | undefined
  /** So many processes fold deliveries, 1 to 64. */
  readonly projectors: number
}

/** Each line names a setting, the problem and an example. */
export class ConfigurationError extends OperatorError {}

/** The server's configuration is read once. It throws `ConfigurationError`. */
export function env(): Env {
  globalThis.rampartEnv ??= readEnv(process.env)
  return globalThis.rampartEnv
}

function readEnv(variables: NodeJS.ProcessEnv): Env {
  const part = PartSchema.parse(variables.RAMPART_PART)
  if (part === undefined) return toEnv(parse(ServerVariablesSchema, variables), part)
  const read = toEnv(parse(ServerVariablesSchema, { ...standIns, ...variables }), part)
  const needed: readonly string[] = ofParts[part]
  for (const [name, setting] of Object.entries(withheld))
    if (variables[name] === undefined && !needed.includes(name))
      Object.defineProperty(read, setting, {
        get: () => {
          throw new ConfigurationError(`${name} is not given to the ${part} process`)
        },
      })
  return read
}

declare global {
  var rampartEnv: Env | undefined
}

/**
 * `readStartSettings` reads the settings of `npm start`. It throws `ConfigurationError`, also for a merchant's own database
 * or service without its secrets.
 */
export function readStartSettings(variables: NodeJS.ProcessEnv = process.env): StartSettings {
  const given = parse(StartVariablesSchema, variables, missingIn(variables))
  if (!given.SERVICE_BASE_URL && given.PORT === given.SANDBOX_PORT)
    throw new ConfigurationError(
      `PORT and SANDBOX_PORT are both ${given.PORT}: the dashboard and the sandbox need a port each. Example: PORT=${examples.PORT} SANDBOX_PORT=${examples.SANDBOX_PORT}`,
    )
  for (const whose of ['STAFF', 'USER'] as const) requireIdleWithinSession(whose, given, variables)
  return {
    port: given.PORT,
    roles: given.ROLE,
    logTo: given.RAMPART_LOG_TO,
    sandboxPort: given.SANDBOX_PORT,
    listen: given.LISTEN,
    dataDir: given.RAMPART_DATA_DIR,
    publicUrl: given.PUBLIC_URL,
    databaseUrl: given.DATABASE_URL,
    databaseDirectUrl: given.DATABASE_DIRECT_URL,
    databaseMigrateUrl: given.DATABASE_MIGRATE_URL,
    databaseReadUrl: given.DATABASE_READ_URL,
    databaseConnections: given.DATABASE_CONNECTIONS === undefined ? undefined : connectionsOf(given),
    serviceBaseUrl: given.SERVICE_BASE_URL,
    serviceApiKey: given.SERVICE_API_KEY,
    sandboxDatabaseUrl: given.SANDBOX_DATABASE_URL,
    sandboxApiKey: given.SANDBOX_API_KEY,
    nextauthSecret: given.NEXTAUTH_SECRET,
    keys: given.RAMPART_KEYS,
    admins: given.RAMPART_ADMINS,
    projectors: projectorsOf(given),
  }
}

/** Each line is of a setting that others need. */
function missingIn(variables: NodeJS.ProcessEnv): string[] {
  const { ROLE, SERVICE_BASE_URL } = variables
  const own = ['DATABASE_URL', 'SERVICE_BASE_URL'].find((name) => variables[name])
  const roles = StartVariablesSchema.shape.ROLE.safeParse(ROLE || undefined).data ?? processRoles
  const host = URL.parse(SERVICE_BASE_URL ?? '')?.hostname
  const needed = [
    ...(own ? [[own, 'NEXTAUTH_SECRET'] as const, [own, 'RAMPART_KEYS'] as const] : []),
    ...pairs.filter(([name]) => variables[name]),
    // Groups of processes work together through one database, and each group would start a sandbox of its own.
    ...(roles.length < processRoles.length ? groupPairs : []),
    // A service elsewhere would deliver to its own loopback address.
    ...(host && !isLoopbackHost(host) ? [['SERVICE_BASE_URL', 'PUBLIC_URL'] as const] : []),
  ].filter(([, name]) => !variables[name])
  return [...Map.groupBy(needed, ([, name]) => name)].map(
    ([name, [first]]) =>
      `${name} is missing: with ${first?.[0]} set it must be given. Example: ${name}=${examples[name]}`,
  )
}

const groupPairs = [
  ['ROLE', 'DATABASE_URL'],
  ['ROLE', 'SERVICE_BASE_URL'],
] as const

/** The first setting is useless without the second. */
const pairs = [
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

/**
 * A session cannot be locked after it has ended. The check applies only to an idle time that was set, so a shorter session
 * alone is allowed.
 */
function requireIdleWithinSession(
  whose: 'STAFF' | 'USER',
  given: z.output<typeof StartVariablesSchema>,
  variables: NodeJS.ProcessEnv,
) {
  const [idle, session] = [`${whose}_IDLE_MINUTES`, `${whose}_SESSION_MINUTES`] as const
  if (variables[idle] && given[idle] > given[session])
    throw new ConfigurationError(
      `${idle} must be at most ${session}, which is ${given[session]}. Example: ${idle}=${examples[idle]}`,
    )
}

/** All processes of a machine need this many connections. With fewer, a part could not do its necessary work at once. */
export const connectionRange = (projectors: number) => ({
  fewest: 12 + 3 * projectors,
  usual: 25 + 6 * projectors,
})

/** Without the role, no process folds deliveries here. */
const projectorsOf = ({ ROLE: roles, PROJECTORS: projectors }: z.output<typeof StartVariablesSchema>) =>
  roles.includes('projector') ? projectors : 0

function connectionsOf(variables: z.output<typeof StartVariablesSchema>) {
  const { DATABASE_CONNECTIONS: given } = variables
  const projectors = projectorsOf(variables)
  const { fewest, usual } = connectionRange(projectors)
  if (given !== undefined && given < fewest)
    throw new ConfigurationError(
      `DATABASE_CONNECTIONS must be ${fewest} or more, with PROJECTORS=${projectors}. Example: DATABASE_CONNECTIONS=${usual}`,
    )
  return given ?? usual
}

/** `warningsOf` lists settings that are allowed but probably wrong, one line each. `npm start` prints them and continues. */
export function warningsOf(variables: NodeJS.ProcessEnv = process.env): string[] {
  const given = Object.entries(variables).flatMap(([name, value]) => (value ? [{ name, value }] : []))
  const unknown = given.flatMap(({ name, value }) => unknownName(name, value) ?? [])
  const modes = given.flatMap(({ name, value }) => {
    const mode = isDatabase(name) ? likeVerifyFull.exec(withoutCompat(value))?.[2] : undefined
    return mode === undefined
      ? []
      : `${name}: sslmode=${mode} is taken as verify-full. Write that, or sslmode=no-verify where the certificate cannot be checked.`
  })
  const unheeded = given.flatMap(({ name, value }) => {
    const keys = isDatabase(name) ? [...(readDatabaseAddress(value)?.searchParams.keys() ?? [])] : []
    const vain = [...new Set(keys)].filter((key) => !parameters.has(key))
    return vain.length === 0
      ? []
      : `${name}: Rampart knows no ${vain.join(', ')} in an address; without effect.`
  })
  const idle = variables.SERVICE_BASE_URL
    ? given.flatMap(({ name }) =>
        ofOwnSandbox.has(name) ? `${name} has no effect, since SERVICE_BASE_URL names another service.` : [],
      )
    : []
  const nowhere =
    variables.SERVICE_BASE_URL && !variables.PUBLIC_URL
      ? [
          `PUBLIC_URL is missing: only this machine reaches ${defaultPublicUrl(Number(variables.PORT) || 3000)}, so a service elsewhere delivers nothing. Example: PUBLIC_URL=${examples.PUBLIC_URL}`,
        ]
      : []
  return [...unknown, ...modes, ...unheeded, ...idle, ...nowhere]
}

const ofOwnSandbox = new Set(['SANDBOX_PORT', 'SANDBOX_API_KEY', 'SANDBOX_DATABASE_URL'])

const isDatabase = (name: string) => /^(DATABASE_(\w+_)?|SANDBOX_DATABASE_)URL$/.test(name)

/** Rampart's own programs pass these variables to each other, and other programs use some with similar names. */
const ofPrograms =
  /^(RAMPART_(SANDBOX_URL|LISTEN|OWN_LOG|BUILD_ID|BUILD_ONCE|DUMP|E2E_\w+|TEST_REPORT|BENCH_\w+|SCREEN_WIDTHS)|NEXTAUTH_URL\w*)$/

/** Kubernetes sets these for each service of a namespace, also for one called `rampart` or `database`. */
const ofKubernetes = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/

const ownPrefix =
  /^(RAMPART|DATABASE|SERVICE|OIDC|STAFF|USER|SMTP|MAIL|NEXTAUTH|AUDIT|TRUSTED|WALLETCONNECT|METRICS)_/i

function unknownName(name: string, value: string): string | null {
  const names = Object.keys(StartVariablesSchema.shape)
  if (names.includes(name) || ofPrograms.test(name) || ofKubernetes.test(name)) return null
  if (name.endsWith('_PORT') && /^(tcp|udp|sctp):/.test(value)) return null
  const ours = ownPrefix.test(name)
  // A short name resembles many names of other programs.
  const likely = nearestName(
    name,
    names.filter((known) => ours || known.length > 7),
    ours ? 4 : name.length < 11 ? 1 : 2,
  )
  if (!ours && likely === null) return null
  const within = names
    .filter((known) => name.endsWith(`_${known}`))
    .toSorted((a, b) => b.length - a.length)[0]
  const meant = within ?? likely
  return `${name} is no setting of Rampart and has no effect.${meant === null ? '' : ` Did you mean ${meant}?`}`
}

/** The log level is the least urgent one that is written. An invalid value is ignored, because its refusal is logged too. */
export function readLogLevel(variables: NodeJS.ProcessEnv = process.env): string {
  return logLevelSchema.safeParse(variables.RAMPART_LOG_LEVEL).data ?? 'info'
}

/** `readCommit` reads the commit of an image, which has no clone to read it from. The value is null when it is not set. */
export function readCommit(variables: NodeJS.ProcessEnv = process.env): string | null {
  return parse(StartVariablesSchema.pick({ RAMPART_COMMIT: true }), variables).RAMPART_COMMIT ?? null
}

/**
 * The standard variables of OpenTelemetry say where the spans of a process go; null without an address. Every process of ours
 * reads them, and OpenTelemetry reads `OTEL_TRACES_SAMPLER` itself. Throws a `ConfigurationError`.
 */
export function readTracing(variables: NodeJS.ProcessEnv = process.env) {
  const given = parse(TracingVariablesSchema, variables)
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = given
  return endpoint === undefined ? null : { endpoint, headers, name: given.OTEL_SERVICE_NAME }
}

/** `readDatabaseSettings` is for commands that need only the database. It throws `ConfigurationError`. */
export function readDatabaseSettings(
  variables: NodeJS.ProcessEnv = process.env,
): Pick<StartSettings, 'dataDir' | 'databaseUrl' | 'databaseDirectUrl' | 'databaseMigrateUrl'> {
  const given = parse(DatabaseVariablesSchema, variables)
  return {
    dataDir: given.RAMPART_DATA_DIR,
    databaseUrl: given.DATABASE_URL,
    databaseDirectUrl: given.DATABASE_DIRECT_URL,
    databaseMigrateUrl: given.DATABASE_MIGRATE_URL,
  }
}

/**
 * `readCommandKeys` reads `RAMPART_KEYS` for commands that only check signatures; null when it is not set. It throws
 * `ConfigurationError`.
 */
export function readCommandKeys(variables: NodeJS.ProcessEnv = process.env): string | null {
  return parse(StartVariablesSchema.pick({ RAMPART_KEYS: true }), variables).RAMPART_KEYS ?? null
}

/** `readPublicUrl` reads the dashboard's address for commands that make links. It throws `ConfigurationError`. */
export function readPublicUrl(variables: NodeJS.ProcessEnv = process.env): URL {
  const given = parse(StartVariablesSchema.pick({ PORT: true, PUBLIC_URL: true }), variables)
  return new URL(given.PUBLIC_URL ?? defaultPublicUrl(given.PORT))
}

/** The dashboard has this address by default. */
export const defaultPublicUrl = (port: number) => `http://localhost:${port}`

const portSchema = z.coerce
  .number('must be a port number')
  .int()
  .min(1, 'must be 1 to 65535')
  .max(65535, 'must be 1 to 65535')
const databaseSchema = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: 'must be a PostgreSQL address', abort: true })
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
/** An address of the web is HTTPS, except on this machine. */
export const webSchema = z
  .url({ protocol: /^https?$/, error: 'must be a web address', abort: true })
  .refine(
    (text) => text.startsWith('https:') || isLoopbackHost(new URL(text).hostname),
    'must be https, since it is on another machine',
  )
const TracingVariablesSchema = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: webSchema.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .transform((text) => text.split(',').map((pair) => pair.split('=').map((part) => part.trim())))
    .refine((pairs) => pairs.every(([name, value, ...more]) => name && value && more.length === 0), {
      error: 'must have the form name=value,name=value, with % signs as in an address',
    })
    .transform((pairs) =>
      Object.fromEntries(pairs.map(([name = '', value = '']) => [name, decodeURIComponent(value)])),
    )
    .default({}),
  OTEL_SERVICE_NAME: z.string().default('rampart'),
})
const proxiesSchema = z.string().refine((text) => toBlockList(text) !== null, {
  error: 'must be addresses or networks with commas between them',
})
/** Cookies and deliveries belong to the whole host. */
const host = webSchema.refine((text) => (URL.parse(text)?.pathname ?? '/') === '/', 'must not have a path')
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
const toSecrets = (text: string) => text.split(/\s*,\s*/)
const secretSchema = z
  .string()
  .refine(
    (text) => toSecrets(text).every((secret) => secret.length >= 32),
    'must have at least 32 characters, as must each of a list with commas',
  )
const keysSchema = z
  .string()
  .regex(
    /^[\w-]+:[A-Za-z0-9+/]{43}=(,[\w-]+:[A-Za-z0-9+/]{43}=)*$/,
    'must be id:key, newest first, each key 32 bytes in base64',
  )
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

const logLevelSchema = z.enum(
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

const StartVariablesSchema = z.object({
  PORT: portSchema.default(3000),
  ROLE: rolesSchema,
  LISTEN: z
    .union([z.ipv4(), z.ipv6()], 'must be an IP address of this machine, 0.0.0.0 for every one')
    .optional(),
  SANDBOX_PORT: portSchema.default(4010),
  RAMPART_DATA_DIR: z.string().min(1).default('.data'),
  PUBLIC_URL: host.optional(),
  DATABASE_URL: databaseSchema.optional(),
  DATABASE_DIRECT_URL: databaseSchema.optional(),
  DATABASE_MIGRATE_URL: databaseSchema.optional(),
  DATABASE_READ_URL: databaseSchema.optional(),
  DATABASE_CONNECTIONS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(15, 'must be 15 to 1000')
    .max(1000, 'must be 15 to 1000')
    .optional(),
  DATABASE_DURABILITY: z.enum(['checked', 'assured'], 'must be checked or assured').default('checked'),
  SERVICE_BASE_URL: webSchema.optional(),
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
  RAMPART_COMMIT: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be the name of a commit')
    .optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\w.~+/=-]{32,}$/, 'must have at least 32 characters that a bearer token may have')
    .optional(),
  AUDIT_HEAD_URL: webSchema.optional(),
  TRUSTED_PROXIES: proxiesSchema.default('127.0.0.0/8,::1'),
  STAFF_SIGN_IN: z.enum(['any', 'passkey-or-sso'], 'must be any or passkey-or-sso').optional(),
  OIDC_ISSUER: webSchema.optional(),
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
    .default(() => Math.max(1, Math.floor(os.availableParallelism() / 2))),
})

const DatabaseVariablesSchema = StartVariablesSchema.pick({
  RAMPART_DATA_DIR: true,
  DATABASE_URL: true,
  DATABASE_DIRECT_URL: true,
  DATABASE_MIGRATE_URL: true,
})

const ServerVariablesSchema = StartVariablesSchema.extend({
  NODE_ENV: z.string().default('production'),
  PUBLIC_URL: host,
  DATABASE_URL: databaseSchema,
  SERVICE_BASE_URL: webSchema,
  SERVICE_API_KEY: apiKeySchema,
  NEXTAUTH_SECRET: secretSchema,
  RAMPART_KEYS: keysSchema,
  /** `npm start` sets this variable when it has started the sandbox. People do not set it. */
  RAMPART_SANDBOX_URL: webSchema.optional(),
})

/**
 * `readDatabaseAddress` reads a database address as node-postgres does, also with a user and no host; null for an invalid
 * one.
 */
export const readDatabaseAddress = (text: string): URL | null =>
  URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'))

const severalHosts = /^\w+:\/\/([^/?]*@)?[^/?@]*,[^/?@]*([/?]|$)|[?&]host=[^&]*(,|%2C)/i

const parameterOf = (text: string, name: string): string =>
  readDatabaseAddress(text)?.searchParams.get(name) ?? ''

/** node-postgres uses these parameters of an address. Other clients know more. */
const parameters = new Set(
  ['host', 'port', 'user', 'password', 'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'schema'].concat(
    ['uselibpqcompat', 'application_name', 'fallback_application_name', 'client_encoding', 'options'],
    ['statement_timeout', 'lock_timeout', 'query_timeout', 'idle_in_transaction_session_timeout'],
  ),
)

/** `isReadable` is true for an address that node-postgres can read. */
function isReadable(text: string): boolean {
  const url = readDatabaseAddress(text)
  try {
    return url !== null && decodeURIComponent(url.username + url.password + url.pathname) !== ''
  } catch {
    return false
  }
}

/** With these values of `sslmode`, node-postgres encrypts or ends the connection. */
const encrypting = new Set(['require', 'verify-ca', 'verify-full', 'no-verify'])

/** node-postgres treats these modes as `verify-full`, and warns with six lines at each connection. */
const likeVerifyFull = /([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/

function nameVerifyFull(text: string): string {
  return withoutCompat(text).replaceAll(new RegExp(likeVerifyFull, 'g'), '$1verify-full') || text
}

/** The text is empty when `uselibpqcompat` gives the modes their meaning in libpq. */
const withoutCompat = (text: string) => (/[?&]uselibpqcompat=true(&|$)/.test(text) ? '' : text)

/** A socket of this machine has no host, or a directory as its host. */
function isEncryptedOrLocal(text: string): boolean {
  const { hostname, searchParams } = readDatabaseAddress(text) ?? new URL(text)
  // node-postgres reads the last of repeated parameters, and prefers `sslmode` to `ssl`.
  const given = Object.fromEntries(searchParams)
  const host = given.host || hostname
  if (host === '' || host.startsWith('/') || host.startsWith('%2F') || isLoopbackHost(host)) return true
  return given.sslmode ? encrypting.has(given.sslmode) : given.ssl === 'true'
}

/** The list is null when a part is neither an address nor a network. */
function toBlockList(text: string): net.BlockList | null {
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

/** The dashboard starts these programs beside its server, each with the variables that it needs. */
const ofParts = {
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

const PartSchema = z.enum(['live', 'projector', 'maintenance']).optional()

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

/** A part does not get these variables, though the schema requires them. Reading their property of `Env` throws. */
const withheld = {
  DATABASE_MIGRATE_URL: 'databaseMigrateUrl',
  SERVICE_BASE_URL: 'serviceBaseUrl',
  SERVICE_API_KEY: 'serviceApiKey',
  NEXTAUTH_SECRET: 'nextauthSecrets',
  RAMPART_KEYS: 'keys',
} as const satisfies Record<string, keyof Env>

/** These values satisfy the schema and are never read. */
const standIns = {
  SERVICE_BASE_URL: 'https://withheld.invalid',
  SERVICE_API_KEY: 'withheld',
  NEXTAUTH_SECRET: 'withheld'.repeat(4),
  RAMPART_KEYS: `withheld:${'A'.repeat(43)}=`,
}

const examples: Record<string, string> = {
  PORT: '3000',
  ROLE: 'receiver,projector',
  RAMPART_LOG_TO: 'stdout',
  RAMPART_COMMIT: '99e03e68c7b0',
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
  TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
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
function parse<T extends z.ZodType>(
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

function toEnv(given: z.output<typeof ServerVariablesSchema>, part: Env['part']): Env {
  const [newestSecret = '', ...olderSecrets] = toSecrets(given.NEXTAUTH_SECRET)
  return {
    dev: given.NODE_ENV === 'development',
    port: given.PORT,
    roles: given.ROLE,
    // No caller may bypass a proxy on this machine, which ends TLS and limits bodies. Local browsers use the machine itself.
    listen: given.LISTEN ?? (new URL(given.PUBLIC_URL).hostname === '[::1]' ? '::1' : '127.0.0.1'),
    publicUrl: new URL(given.PUBLIC_URL),
    databaseUrl: given.DATABASE_URL,
    databaseDirectUrl: given.DATABASE_DIRECT_URL ?? given.DATABASE_URL,
    databaseMigrateUrl: given.DATABASE_MIGRATE_URL ?? given.DATABASE_DIRECT_URL ?? given.DATABASE_URL,
    databaseReadUrl: given.DATABASE_READ_URL ?? given.DATABASE_URL,
    databaseConnections: connectionsOf(given),
    projectors: projectorsOf(given),
    part,
    isDurabilityAssured: given.DATABASE_DURABILITY === 'assured',
    serviceBaseUrl: new URL(given.SERVICE_BASE_URL),
    serviceApiKey: given.SERVICE_API_KEY,
    nextauthSecrets: [newestSecret, ...olderSecrets],
    keys: toKeys(given.RAMPART_KEYS),
    admins: given.RAMPART_ADMINS?.split(',').map((uuid) => uuid.trim().toLowerCase()) ?? [],
    trustedProxies: toBlockList(given.TRUSTED_PROXIES) ?? new net.BlockList(),
    auditHeadUrl: given.AUDIT_HEAD_URL ? new URL(given.AUDIT_HEAD_URL) : null,
    metricsToken: given.METRICS_TOKEN ?? null,
    // The sandbox has nobody to protect, and the demo people have only their mailbox.
    staffSignIn: given.STAFF_SIGN_IN ?? (given.RAMPART_SANDBOX_URL ? 'any' : 'passkey-or-sso'),
    singleSignOn: toSingleSignOn(given),
    mail: given.SMTP_URL && given.MAIL_FROM ? { server: given.SMTP_URL, from: given.MAIL_FROM } : null,
    sessions: {
      staff: { idleMinutes: given.STAFF_IDLE_MINUTES, longestMinutes: given.STAFF_SESSION_MINUTES },
      endUser: { idleMinutes: given.USER_IDLE_MINUTES, longestMinutes: given.USER_SESSION_MINUTES },
    },
    // Pages of the demo name their sandbox already.
    environment:
      given.RAMPART_SANDBOX_URL && !given.RAMPART_ENVIRONMENT
        ? null
        : environmentOf(
            new URL(given.SERVICE_BASE_URL),
            given.RAMPART_ENVIRONMENT,
            given.RAMPART_ENVIRONMENT_COLOR,
          ),
    sandboxUrl: given.RAMPART_SANDBOX_URL ? new URL(given.RAMPART_SANDBOX_URL) : null,
    walletConnectProjectId: given.WALLETCONNECT_PROJECT_ID ?? null,
  }
}

function toSingleSignOn(given: z.output<typeof ServerVariablesSchema>): SingleSignOn | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_ROLE_CLAIM: claim } = given
  if (!issuer || !clientId) return null
  const roles = toRoleMap(given.OIDC_ROLE_MAP ?? '')
  return {
    issuer: new URL(issuer),
    clientId,
    clientSecret: given.OIDC_CLIENT_SECRET ?? null,
    name: given.OIDC_NAME,
    scope: given.OIDC_SCOPE,
    roleClaim: claim && roles ? { claim, roles } : null,
  }
}

/** The text is `value=role,value=role` or `{"value":"role"}`. The result is null for anything else. */
function toRoleMap(text: string): ReadonlyMap<string, StaffRole> | null {
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

/** The text is `id:base64,id:base64`, newest first. */
export function toKeys(text: string): readonly [Key, ...Key[]] {
  const [first, ...rest] = text.split(',').map((part) => {
    const [id = '', encoded = ''] = part.split(/:(.*)/)
    return { id, bytes: Buffer.from(encoded, 'base64') }
  })
  if (!first)
    throw new ConfigurationError(`RAMPART_KEYS is missing. Example: RAMPART_KEYS=${examples.RAMPART_KEYS}`)
  return [first, ...rest]
}
