import { distributeTables } from '../../lib/platform/db/distribute.ts'
import { ownerAddress } from './database-address.ts'

/** The command spreads the tables over the servers of a Citus cluster; it can be repeated. */
export async function distributeCommand(): Promise<number> {
  await distributeTables(ownerAddress(), ({ table, kind, changed }) => {
    const by = kind === 'reference' ? 'a copy on every server' : 'spread by subject'
    console.log(`${table.padEnd(18)}${by}${changed ? '' : ', as before'}`)
  })
  return 0
}
