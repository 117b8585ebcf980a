import 'server-only'
import net from 'node:net'
import os from 'node:os'
import type { z } from 'zod'
import type { RoleClaim } from '#lib/access/rules/role-of-claims.ts'
import { ofParts, PartSchema } from './env/parts.ts'
import {
  ConfigurationError,
  DatabaseVariablesSchema,
  examples,
  groupPairs,
  logLevelSchema,
  type ProcessRole,
  pairs,
  parse,
  processRoles,
  ServerVariablesSchema,
  StartVariablesSchema,
  TracingVariablesSchema,
  toBlockList,
  toRoleMap,
  toSecrets,
} from './env/variables.ts'
import { defaultPublicUrl } from './env/warnings.ts'
import { type Environment, environmentOf } from './rules/environment.ts'
import type { MailSender, MailServer } from './rules/mail-address.ts'
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
  /** Alerts name this machine. A container that is made anew has another host name, so its operator gives it one. */
  readonly machine: string
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

/** `readCommandApiKey` reads `SERVICE_API_KEY` for commands; null when it is not set. It throws `ConfigurationError`. */
export function readCommandApiKey(variables: NodeJS.ProcessEnv = process.env): string | null {
  return parse(StartVariablesSchema.pick({ SERVICE_API_KEY: true }), variables).SERVICE_API_KEY ?? null
}

/** `readPublicUrl` reads the dashboard's address for commands that make links. It throws `ConfigurationError`. */
export function readPublicUrl(variables: NodeJS.ProcessEnv = process.env): URL {
  const given = parse(StartVariablesSchema.pick({ PORT: true, PUBLIC_URL: true }), variables)
  return new URL(given.PUBLIC_URL ?? defaultPublicUrl(given.PORT))
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
  RAMPART_KEYS: `withheld:${Buffer.from('withheld'.repeat(4)).toString('base64')}`,
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
    machine: given.RAMPART_MACHINE ?? os.hostname(),
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
