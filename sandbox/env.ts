import { z } from 'zod'
import { greatestSeed } from './state/ids.ts'
import { ApiKeySchema, OptionsSchema, wholeInText } from './state/options.ts'

/** `SANDBOX_*` variables are read here only. */
export const readEnv = (variables: NodeJS.ProcessEnv = process.env) => parseEnv(variables)

export type Env = z.output<typeof EnvSchema>

const EnvSchema = z.object({
  port: wholeInText(0, 65_535).default(4010),
  databaseUrl: z.url({ protocol: /^postgres(ql)?$/ }),
  /** The sandbox makes a key when none is given. */
  apiKey: ApiKeySchema.optional(),
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
  logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  smtpUrl: z.url({ protocol: /^smtps?$/ }).optional(),
  listenOn: z.union([z.ipv4(), z.ipv6()]).optional(),
  dashboardUrl: z.url({ protocol: /^https?$/ }).optional(),
  seed: wholeInText(0, greatestSeed).optional(),
  controlHosts: z
    .string()
    .regex(/^[^\s,/]+(,[^\s,/]+)*$/)
    .transform((text) => text.toLowerCase().split(','))
    .default([]),
  options: OptionsSchema,
})

const optionVariables = {
  codeMinutes: ['SANDBOX_CODE_MINUTES', 'a whole number of minutes', '10'],
  codesPerWindow: ['SANDBOX_CODES_PER_WINDOW', 'a whole number from 1', '10'],
  codeWindowMinutes: ['SANDBOX_CODE_WINDOW_MINUTES', 'a whole number of minutes', '10'],
  codeGuesses: ['SANDBOX_CODE_GUESSES', 'a whole number from 1', '5'],
  sessionMinutes: ['SANDBOX_SESSION_MINUTES', 'a whole number of minutes', '60'],
  deliveryTimeoutMs: ['SANDBOX_DELIVERY_TIMEOUT_MS', 'milliseconds from 1 to 60000', '10000'],
  autoDisableAfter: ['SANDBOX_AUTO_DISABLE_AFTER', 'a whole number, 0 for never', '20'],
  longestMessageMinutes: ['SANDBOX_LONGEST_MESSAGE_MINUTES', 'a whole number of minutes, 0 for any', '240'],
  olderCodes: ['SANDBOX_OLDER_CODES', 'dead or valid', 'dead'],
  retryAfter: ['SANDBOX_RETRY_AFTER', 'on or off', 'on'],
  loopbackHttp: ['SANDBOX_LOOPBACK_HTTP', 'on or off', 'on'],
  httpHosts: [
    'SANDBOX_HTTP_HOSTS',
    'host names with or without a port, with commas between',
    'app,host.docker.internal:8080',
  ],
  merchantConfiguration: ['SANDBOX_MERCHANT_CONFIGURATION', 'on or off', 'on'],
  successStatuses: ['SANDBOX_SUCCESS_STATUSES', '2xx, or statuses with commas between', '200,204'],
  requestTimeoutMs: ['SANDBOX_REQUEST_TIMEOUT_MS', 'milliseconds from 100 to 600000', '30000'],
} as const satisfies Record<keyof z.input<typeof OptionsSchema>, Hint>

const settingVariables = {
  databaseUrl: [
    'SANDBOX_DATABASE_URL',
    'the address of a PostgreSQL database',
    'postgres://user:pass@127.0.0.1/sandbox',
  ],
  port: ['SANDBOX_PORT', 'a port from 0 to 65535', '4010'],
  apiKey: [
    'SANDBOX_API_KEY',
    'the merchant’s API key, at least 16 printable ASCII characters without blanks',
    'sandbox-3f9c2b7a',
  ],
  publicUrl: ['SANDBOX_PUBLIC_URL', 'the base address of the service', 'http://localhost:4010/onboarding'],
  logLevel: ['SANDBOX_LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent', 'info'],
  smtpUrl: ['SANDBOX_SMTP_URL', 'the address of a mail server', 'smtp://user:pass@127.0.0.1:25'],
  listenOn: ['SANDBOX_LISTEN_ON', 'an IP address of this machine, 0.0.0.0 for all', '0.0.0.0'],
  dashboardUrl: ['SANDBOX_DASHBOARD_URL', 'the address of the dashboard', 'http://localhost:3000'],
  seed: ['SANDBOX_SEED', 'a whole number from 1 to 4294967295, 0 for none', '7'],
  controlHosts: ['SANDBOX_CONTROL_HOSTS', 'hosts with their ports, with commas between', 'sandbox.test:4010'],
} as const satisfies Record<Exclude<keyof Env, 'options'>, Hint>

type Hint = readonly [variable: string, wanted: string, example: string]

const hints: Record<string, Hint> = { ...settingVariables, ...optionVariables }

/** The text describes every variable, one a line. */
export const describeSettings = (): string =>
  Object.values(hints)
    .map(([variable, wanted, example]) => `  ${variable.padEnd(31)} ${wanted}, for example ${example}`)
    .join('\n')

function parseEnv(variables: NodeJS.ProcessEnv): Env {
  const given = (named: Record<string, Hint>) =>
    Object.fromEntries(
      Object.entries(named).map(([key, [variable]]) => [key, variables[variable] || undefined]),
    )
  const parsed = EnvSchema.safeParse({ ...given(settingVariables), options: given(optionVariables) })
  if (parsed.success) return parsed.data
  const key = String(parsed.error.issues[0]?.path.at(-1))
  const [variable, wanted, example] = hints[key] ?? [key, 'a valid value', '']
  const must = `it must be ${wanted}, for example ${variable}=${example}`
  if (variables[variable]) throw new StartError(`${variable} is not valid: ${must}`)
  // Only the database is required.
  throw new StartError(`${variable} is missing: ${must}; --help says how to make one`)
}

/** A person can fix the cause of this error. Its message is the one line that they read. */
export class StartError extends Error {
  override name = 'StartError'
}
