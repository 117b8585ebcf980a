import { createSignInLink, signInLinkMinutes } from '#lib/identity/links/create-sign-in-link.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { readPublicUrl } from '#lib/platform/env.ts'
import { databaseAddress } from './database-address.ts'

/** Prints a link that signs a member in, when every other way is down. */
export async function signInLinkCommand(words: readonly string[]): Promise<number> {
  const who = words.join(' ')
  if (who === '') {
    console.error('For whom? npm run rampart signin-link MEMBER, by name, e-mail address or id')
    return 2
  }
  const pool = openPool(databaseAddress(), 1)
  try {
    const made = await createSignInLink(pool, readPublicUrl(), who)
    if (made.kind === 'nobody') {
      console.error(`No member of the team is called “${who}”, or has that address or id.`)
      return 1
    }
    if (made.kind === 'several') {
      console.error(`Several members are called “${who}”. Give the id of one:`)
      for (const { id, name } of made.members) console.error(`  ${id}  ${name}`)
      return 1
    }
    console.log(`
  Whoever opens this link is signed in as ${made.name}:

  ${made.link}

  It is good once and for ${signInLinkMinutes} minutes. Every admin is told that it was made.
`)
    return 0
  } finally {
    await pool.end()
  }
}
