/** These pages come before the sign-in and contain the wallet libraries. */
export const withWallets: ReadonlySet<string> = new Set(['/sign-in', '/sign-up'])

/** A page may have this many KB of JavaScript beyond an empty page of the same build, gzipped. */
export const mostKb = 61.6
export const mostKbWithWallets = 80
