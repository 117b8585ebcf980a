import { redact } from '#lib/platform/log/create-log.ts'

/** Nothing that the doctor prints contains a secret, whatever an error of others repeats. */
export function hideSecrets(variables: NodeJS.ProcessEnv): (text: string) => string {
  const known = () => [...new Set(secretNames.flatMap((name) => secretsIn(variables[name] ?? '')))]
  return (text) =>
    redact(
      known()
        .filter((secret) => secret.length > 3)
        .toSorted((a, b) => b.length - a.length)
        .reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text),
    )
}

const secretNames = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_MIGRATE_URL',
  'DATABASE_READ_URL',
  'SANDBOX_DATABASE_URL',
  'SMTP_URL',
  'SERVICE_API_KEY',
  'SANDBOX_API_KEY',
  'NEXTAUTH_SECRET',
  'RAMPART_KEYS',
  'OIDC_CLIENT_SECRET',
  'METRICS_TOKEN',
]

/** An address has a password, also as a parameter. Other settings are secrets as a whole, and in each part. */
function secretsIn(text: string): string[] {
  if (!text.includes('://')) return [text, ...text.split(/[,:]/).filter((part) => part.length > 15)]
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'))
  const typed = /:\/\/[^:/@]*:(.*)@/.exec(text)?.[1] ?? ''
  const encoded = [url?.password ?? '', url?.searchParams.get('password') ?? '', typed]
  return encoded.flatMap((one) => [one, decode(one)])
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
