import { listIssuers, moveIssuer } from '#lib/identity/single-sign-on/move-issuer.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { databaseAddress } from './database-address.ts'

/** Takes members along when the provider of single sign-on has moved; says where they sign in when it is not told. */
export async function moveIssuerCommand([from, to, ...words]: readonly string[]): Promise<number> {
  const reason = words.join(' ').trim()
  const pool = openPool(databaseAddress(), 1)
  try {
    const issuers = await listIssuers(pool)
    const known = issuers.map(({ issuer, members }) => `  ${issuer}  ${members}`).join('\n') || '  nowhere'
    if (from === undefined || to === undefined || reason.length < 3 || !URL.canParse(to)) {
      console.error(
        `Say from where, to where, and why: npm run rampart move-issuer OLD NEW REASON…\nMembers sign in at:\n${known}`,
      )
      return 2
    }
    const { moved, stay } = await moveIssuer(pool, { from, to, reason })
    for (const name of stay)
      console.error(
        `${name} stays: a member at ${to} has the same subject. Remove one of the two on the page Team.`,
      )
    if (moved === 0 && stay.length === 0)
      console.error(`No member signs in at ${from}. Members sign in at:\n${known}`)
    if (moved > 0) console.log(`Moved to ${to}: ${moved === 1 ? '1 member' : `${moved} members`}.`)
    return moved > 0 && stay.length === 0 ? 0 : 1
  } finally {
    await pool.end()
  }
}
