/** The pages before anybody has signed in, which hold the libraries of wallets. */
export const withWallets: ReadonlySet<string> = new Set(['/sign-in', '/sign-up'])

/** KB of JavaScript beyond an empty page of the same build, gzipped. */
export const mostKb = 60
export const mostKbWithWallets = 80
