import { defaultPublicUrl } from '#lib/platform/env/warnings.ts'
import type { StartSettings } from '#lib/platform/env.ts'
import type { Secrets } from './data-directory.ts'

/**
 * A start gives its programs these variables, and a command reads the same. Without `secrets`, which the first start makes,
 * only the address is known.
 */
export function serverVariables(
  settings: StartSettings,
  secrets: Secrets | null,
): { readonly PUBLIC_URL: string } & Readonly<Record<string, string>> {
  const sandboxUrl = `http://localhost:${settings.sandboxPort}`
  return {
    PUBLIC_URL: settings.publicUrl ?? defaultPublicUrl(settings.port),
    ...(secrets && {
      NEXTAUTH_SECRET: settings.nextauthSecret ?? secrets.nextauthSecret,
      RAMPART_KEYS: settings.keys ?? secrets.keys,
    }),
    ...(secrets &&
      settings.serviceBaseUrl === undefined && {
        SERVICE_BASE_URL: `${sandboxUrl}/onboarding`,
        SERVICE_API_KEY: settings.sandboxApiKey ?? secrets.sandboxApiKey,
        RAMPART_SANDBOX_URL: sandboxUrl,
      }),
  }
}
