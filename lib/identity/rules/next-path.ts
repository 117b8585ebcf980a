/**
 * The path to open after a sign-in is a path of this site, or `/`. Anything that a browser could read as another
 * site (`//x`, `/\x`, a scheme, control characters) is refused.
 */
export function nextPath(wanted: string | null | undefined): string {
  if (!wanted?.startsWith('/') || wanted.length > 2_000) return '/'
  const base = 'http://here.invalid'
  const url = URL.parse(wanted, base)
  if (url?.origin !== base || /[\\\p{Cc}]/u.test(wanted)) return '/'
  const path = url.pathname + url.search + url.hash
  return path.startsWith('//') || isSignIn(url.pathname) ? '/' : path
}

const isSignIn = (path: string) => /^\/(sign-in|sign-up|signed-in|set-up|api)(\/|$)/.test(path)
