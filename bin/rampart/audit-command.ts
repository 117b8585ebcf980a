import fs from 'node:fs'
import { type FoundHeads, readHeads, readOwnLog } from '#lib/audit/heads.ts'
import { verifyChain } from '#lib/audit/verify-chain.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { readDatabaseSettings } from '#lib/platform/env.ts'
import { chainFaultText, restoreText } from '../../lib/audit/labels/chain-faults.ts'
import { databaseAddress } from './database-address.ts'
import { commandKeys } from './keys-commands.ts'
import { progressLine } from './progress.ts'

/** The command verifies the chain of the audit, and prints every fault with its place, one a line. */
export async function auditCommand([word, ...files]: readonly string[]): Promise<number> {
  if (word !== 'verify') {
    console.error('Say "audit verify". Files with heads of the chain, such as copies of the log, may follow.')
    return 2
  }
  const { dataDir } = readDatabaseSettings()
  const found = readHeads(commandKeys() ?? [], [...readOwnLog(dataDir), ...linesOf(files)])
  const pool = openPool(databaseAddress(), 1, hour)
  const show = progressLine()
  try {
    const { length, entries, expired, older, reasonsRemoved, heads, restores, faults, faultCount } =
      await verifyChain(pool, found.heads, (position) => show(() => `${position} links were read`))
    if (process.stdout.isTTY) process.stdout.write('\n')
    for (const fault of faults) console.log(chainFaultText(fault))
    if (faultCount > faults.length) console.log(`… and ${faultCount - faults.length} more.`)
    console.log(
      `${length} links, ${entries} entries${expired === 0 ? '' : `, ${expired} whose time was over`}.`,
    )
    if (older > 0) console.log(`${older} entries are older than the chain, which does not protect them.`)
    if (reasonsRemoved > 0) console.log(`${reasonsRemoved} reasons were removed with the data of people.`)
    for (const line of aboutHeads(found, heads)) console.log(line)
    for (const restore of restores) console.log(restoreText(restore))
    if (faults.some(({ kind }) => kind === 'end-cut' || kind === 'head-differs')) console.log(perhapsRestored)
    console.log(faultCount === 0 ? 'Nothing was changed, removed or put in.' : `${faultCount} faults.`)
    return faultCount === 0 ? 0 : 1
  } finally {
    await pool.end()
  }
}

const perhapsRestored =
  'If this database was restored from a backup, say so, and verify again: npm run rampart restored REASON'

const hour = 3_600_000

function aboutHeads({ heads, forged, unchecked }: FoundHeads, agreeing: number): string[] {
  const lines = [
    heads.length === 0
      ? 'No head of the chain was found in the logs: entries cut off its end would not be noticed. Name files that hold some.'
      : `${agreeing} of ${heads.length} heads that were given away agree.`,
  ]
  if (unchecked > 0) lines.push(`${unchecked} heads are signed under a key that RAMPART_KEYS does not hold.`)
  if (forged > 0) lines.push(`${forged} heads were not signed by Rampart, and were passed over.`)
  return lines
}

function* linesOf(files: readonly string[]): Generator<string> {
  for (const file of files) yield* fs.readFileSync(file, 'utf8').split('\n')
}
