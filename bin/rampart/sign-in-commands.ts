import {
  createSetUpLink,
  createSignInLink,
  setUpLinkHours,
  signInLinkMinutes,
} from '../../lib/identity/links/access-links.ts'
import { listIssuers, moveIssuer } from '../../lib/identity/single-sign-on/find-by-address.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { readPublicUrl } from '../../lib/platform/env.ts'
import { databaseAddress } from './database-address.ts'

/** The command prints a link by which the first admin joins. */
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

/** The command prints a link that signs a member in, when every other way is down. */
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

/**
 * The command moves members to a new issuer when the provider of single sign-on has moved. Without words it prints where
 * they sign in.
 */
export async function moveIssuerCommand([from, to, ...words]: readonly string[]): Promise<number> {
  const reason = words.join(' ').trim()
  const pool = openPool(databaseAddress(), 1)
  try {
    const issuers = await listIssuers(pool)
    const list = issuers.map(({ issuer, members }) => `  ${issuer}  ${members}`).join('\n') || '  nowhere'
    const known = `Members sign in at:\n${list}`
    if (from === undefined) {
      console.log(known)
      return 0
    }
    if (to === undefined || reason.length < 3 || !URL.canParse(to)) {
      console.error(
        `Say from where, to where, and why: npm run rampart move-issuer OLD NEW REASON…\n${known}`,
      )
      return 2
    }
    const { moved, stay } = await moveIssuer(pool, { from, to, reason })
    for (const name of stay)
      console.error(
        `${name} stays: a member at ${to} has the same subject. Remove one of the two on the page Team.`,
      )
    if (moved === 0 && stay.length === 0) console.error(`No member signs in at ${from}. ${known}`)
    if (moved > 0) console.log(`Moved to ${to}: ${moved === 1 ? '1 member' : `${moved} members`}.`)
    return moved > 0 && stay.length === 0 ? 0 : 1
  } finally {
    await pool.end()
  }
}
