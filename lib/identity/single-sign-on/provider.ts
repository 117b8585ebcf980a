import 'server-only'
import {
  allowInsecureRequests,
  ClientError,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client'
import { z } from 'zod'
import { env, type SingleSignOn } from '#lib/platform/env.ts'
import { errorFields, isAnswer, isUnknownAuthority, messageOfError } from '#lib/platform/log/error-fields.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isLoopbackHost } from '#lib/platform/rules/network-addresses.ts'
import { signInMessages } from '../labels/sign-in-messages.ts'
import { type ClientAuthentication, clientAuthentication } from './client-authentication.ts'

const log = logOf('single-sign-on')

/** How long what the provider says of itself is believed, in milliseconds, where nobody comes back from it. */
const freshFor = 3_600_000

/** Seconds for one answer of the provider. */
const timeout = 5

/** The provider, as it describes itself (OpenID Connect Discovery). */
export interface Provider {
  readonly configuration: Configuration
  readonly client: ClientAuthentication
}

const read = new WeakMap<SingleSignOn, { readonly provider: Provider; readonly until: number }>()

/** The settings of single sign-on. Throws `Refused` where there is none. */
export function requireSingleSignOn(): SingleSignOn {
  const { singleSignOn } = env()
  if (!singleSignOn) throw new Refused(notSet)
  return singleSignOn
}

/** The provider as it described itself within the last hour. Throws `ProviderUnusable`. */
export async function findProvider(now = Date.now()): Promise<Provider> {
  const known = read.get(requireSingleSignOn())
  return known && known.until > now ? known.provider : readProvider(now)
}

/** The provider as it describes itself now; its keys are read anew too, so that one that it has just changed to is known. */
export async function readProvider(now = Date.now()): Promise<Provider> {
  const sso = requireSingleSignOn()
  try {
    const provider = await discover(sso)
    read.set(sso, { provider, until: now + freshFor })
    return provider
  } catch (error) {
    const fault = explain(error)
    const set = sso.issuer.href
    log.warn(
      { err: error, issuer: set, ...(fault.said === null ? {} : { said: fault.said }), fault: fault.words },
      'The provider of single sign-on does not say what it is',
    )
    throw new ProviderUnusable(fault.why, sso.name)
  }
}

export type UnusableFor = 'sso-provider-down' | 'sso-issuer' | 'sso-certificate'

/** Nobody can be sent to the provider. */
export class ProviderUnusable extends Refused {
  readonly why: UnusableFor

  constructor(why: UnusableFor, name: string) {
    const { title, next } = signInMessages[why]
    super({ title: title.replace('Single sign-on', name), next })
    this.why = why
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
    return `OIDC_ISSUER: the provider at ${issuer.href} does not say what it is (${explain(error).words}). Until it does, nobody signs in by ${name}.`
  }
}

async function discover(sso: SingleSignOn, issuer = sso.issuer): Promise<Provider> {
  const client = clientAuthentication(sso)
  // `env()` lets HTTP through on this machine alone.
  const execute = isLoopbackHost(issuer.hostname)
    ? [allowInsecureRequests, enableNonRepudiationChecks]
    : [enableNonRepudiationChecks]
  const options = { execute, timeout }
  try {
    return { configuration: await discovery(issuer, sso.clientId, {}, client.authenticate, options), client }
  } catch (error) {
    const said = otherIssuer(error)
    // The same path with a slash at its end, or without one, is no other provider.
    if (said === null || said === issuer.href || !isSameButSlash(said, sso.issuer.href)) throw error
    return discover(sso, new URL(said))
  }
}

const isSameButSlash = (a: string, b: string) => a.replace(/\/$/, '') === b.replace(/\/$/, '')

const OtherIssuerSchema = z.object({
  cause: z.object({ attribute: z.literal('issuer'), body: z.object({ issuer: z.url() }) }),
})

/** The issuer that the document names, where it is another than the one that is set. */
function otherIssuer(error: unknown): string | null {
  const read = OtherIssuerSchema.safeParse(error)
  return read.success ? read.data.cause.body.issuer : null
}

/** Why a provider cannot be used: by whom waiting helps, by whom a setting. */
function explain(error: unknown): {
  readonly why: UnusableFor
  readonly words: string
  readonly said: string | null
} {
  const said = otherIssuer(error)
  if (said !== null) return { why: 'sso-issuer', words: `it calls itself ${said}`, said }
  const words =
    error instanceof ClientError && error.cause
      ? `${error.message}: ${causeOf(error)}`
      : messageOfError(error)
  return {
    why: isUntrusted(error) ? 'sso-certificate' : isDown(error) ? 'sso-provider-down' : 'sso-issuer',
    words,
    said,
  }
}

const causeOf = ({ cause }: ClientError) => errorFields(cause, 0).message

/** Answers whether a provider could not be reached, or has a fault: what passes by itself. */
export function isDown(error: unknown): boolean {
  if (error instanceof TypeError && error.message === 'fetch failed') return !isUntrusted(error)
  if (!(error instanceof ClientError)) return false
  if (isAnswer(error.cause)) return error.cause.status >= 500 || error.cause.status === 429
  return error.code === 'OAUTH_TIMEOUT'
}

export const isUntrusted = (error: unknown): boolean =>
  error instanceof TypeError && isUnknownAuthority(error.cause)

const notSet = {
  title: 'There is no single sign-on here.',
  next: 'Sign in another way. Whoever runs this dashboard can set it up.',
}
