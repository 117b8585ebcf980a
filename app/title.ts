import { env } from '#lib/platform/env.ts'

/** The title of a page begins with the environment, so that tabs of two installations differ. */
export function titleOf(text: string): string {
  const { environment } = env()
  return environment === null ? text : `${environment.name} · ${text}`
}
