import { createSetUpLink, setUpLinkHours } from '#lib/identity/links/create-set-up-link.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { readPublicUrl } from '#lib/platform/env.ts'
import { databaseAddress } from './database-address.ts'

/** Prints a link by which the first admin joins. */
export async function setUpLinkCommand(): Promise<number> {
  const pool = openPool(databaseAddress(), 1)
  try {
    const link = await createSetUpLink(pool, readPublicUrl())
    if (link === null) {
      console.error(
        'There is an admin already, who invites others on the page Team. If no admin can sign in: npm run rampart signin-link MEMBER',
      )
      return 1
    }
    console.log(setUpWords(link))
    return 0
  } finally {
    await pool.end()
  }
}

export const setUpWords = (link: string) => `
  Nobody is an admin yet. Whoever opens this link becomes the first one:

  ${link}

  It is good once and for ${setUpLinkHours} hours. Another one, which ends this one: npm run rampart setup-link
`
