import 'server-only'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client'
import { isLoopbackHost } from '#lib/domain/text/loopback-host.ts'
import { env, type SingleSignOn } from '#lib/env.ts'
import { messageOfError } from '#lib/log/error-fields.ts'
import { logOf } from '#lib/log.ts'
import { Refused } from '#lib/request/refusals.ts'

const log = logOf('single-sign-on')

/** How long what the provider says of itself is believed, in milliseconds. */
const freshFor = 3_600_000

/** Seconds for one answer of the provider. */
const timeout = 5

const read = new WeakMap<SingleSignOn, { readonly configuration: Configuration; readonly until: number }>()

/** The settings of single sign-on. Throws `Refused` where there is none. */
export function requireSingleSignOn(): SingleSignOn {
  const { singleSignOn } = env()
  if (!singleSignOn) throw new Refused(notSet)
  return singleSignOn
}

/** The provider, as it describes itself (OpenID Connect Discovery). Throws `Refused` when it is down or answers nonsense. */
export async function findProvider(now = Date.now()): Promise<Configuration> {
  const sso = requireSingleSignOn()
  const known = read.get(sso)
  if (known && known.until > now) return known.configuration
  try {
    const configuration = await discover(sso)
    read.set(sso, { configuration, until: now + freshFor })
    return configuration
  } catch (error) {
    log.warn(
      { err: error, issuer: sso.issuer.href },
      'The provider of single sign-on does not say what it is',
    )
    throw new Refused(providerDown(sso.name))
  }
}

/** A line on what is wrong with the provider; null when it says what it is, and where none is set. */
export async function providerFault(): Promise<string | null> {
  const { singleSignOn } = env()
  if (!singleSignOn) return null
  try {
    await discover(singleSignOn)
    return null
  } catch (error) {
    const { issuer, name } = singleSignOn
    return `OIDC_ISSUER: the provider at ${issuer.href} does not say what it is (${messageOfError(error)}). Until it does, nobody signs in by ${name}.`
  }
}

async function discover({ issuer, clientId, clientSecret }: SingleSignOn): Promise<Configuration> {
  const auth = clientSecret === null ? None() : ClientSecretBasic(clientSecret)
  // `env()` lets HTTP through on this machine alone.
  const execute = isLoopbackHost(issuer.hostname)
    ? [allowInsecureRequests, enableNonRepudiationChecks]
    : [enableNonRepudiationChecks]
  return discovery(issuer, clientId, {}, auth, { execute, timeout })
}

const notSet = {
  title: 'There is no single sign-on here.',
  next: 'Sign in another way. Whoever runs this dashboard can set it up.',
}

export const providerDown = (name: string) => ({
  title: `${name} cannot be reached at the moment.`,
  next: 'Nothing happened. Try again in a minute, or sign in with a passkey.',
})
