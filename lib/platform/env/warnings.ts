import 'server-only'
import { nearestName } from '../rules/names.ts'
import { knownParameters, likeVerifyFull, readDatabaseAddress, withoutCompat } from './database-address.ts'
import { examples, StartVariablesSchema } from './variables.ts'

/** `warningsOf` lists settings that are allowed but probably wrong, one line each. `npm start` prints them and continues. */
export function warningsOf(variables: NodeJS.ProcessEnv = process.env): string[] {
  const given = Object.entries(variables).flatMap(([name, value]) =>
    value ? [{ name, value: value.trim() }] : [],
  )
  const unknown = given.flatMap(({ name, value }) => unknownName(name, value) ?? [])
  const modes = given.flatMap(({ name, value }) => {
    const mode = isDatabase(name) ? likeVerifyFull.exec(withoutCompat(value))?.[2] : undefined
    return mode === undefined
      ? []
      : `${name}: sslmode=${mode} is taken as verify-full. Write that, or sslmode=no-verify where the certificate cannot be checked.`
  })
  const unheeded = given.flatMap(({ name, value }) => {
    const keys = isDatabase(name) ? [...(readDatabaseAddress(value)?.searchParams.keys() ?? [])] : []
    const vain = [...new Set(keys)].filter((key) => !knownParameters.has(key))
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
  const trusting =
    variables.NODE_TLS_REJECT_UNAUTHORIZED === '0'
      ? [
          'NODE_TLS_REJECT_UNAUTHORIZED turns off the check of every certificate. Remove it, and name your own authority by NODE_EXTRA_CA_CERTS.',
        ]
      : []
  return [...unknown, ...modes, ...unheeded, ...idle, ...nowhere, ...trusting]
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

/** The dashboard has this address by default. */
export const defaultPublicUrl = (port: number) => `http://localhost:${port}`
