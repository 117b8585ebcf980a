import { readDatabaseSettings } from '#lib/platform/env.ts'
import { type BackupFacts, makeBackup, restoreBackup } from '../backup.ts'
import { withOwnDatabase } from './own-database.ts'

/** Backs up the embedded database with what opens it, while it is used. */
export async function backupCommand([folder, ...more]: readonly string[]): Promise<number> {
  if (folder === undefined || more.length > 0) {
    console.error('Say where to: npm run rampart backup FOLDER, which is empty or not there yet')
    return 2
  }
  const { databaseUrl, databaseDirectUrl } = readDatabaseSettings()
  if (databaseUrl ?? databaseDirectUrl) {
    console.error(
      'DATABASE_URL is set: back that database up with PostgreSQL’s own tools, as docs/backup.md says. This backs up the embedded one.',
    )
    return 1
  }
  const facts = await withOwnDatabase((own) => makeBackup(own, folder))
  console.log(`The backup is in ${folder}, and was started once. ${endOf(facts)}`)
  console.log(
    'It holds secrets.json: keep it as secret as the server. RAMPART_KEYS and NEXTAUTH_SECRET are not in it where they are settings of yours: keep them too.',
  )
  return 0
}

/** Makes a data directory of a backup. */
export async function restoreCommand([folder, ...more]: readonly string[]): Promise<number> {
  if (folder === undefined || more.length > 0) {
    console.error('Say from where: npm run rampart restore FOLDER, into RAMPART_DATA_DIR, which is empty')
    return 2
  }
  const { dataDir } = readDatabaseSettings()
  const facts = await restoreBackup(folder, dataDir)
  console.log(`${dataDir} holds the backup of ${facts.madeAt}. ${endOf(facts)}`)
  console.log(
    'Make sure that the Rampart it was made of is stopped, then say why, and start: npm run rampart restored REASON',
  )
  return 0
}

const endOf = ({ lastEntry, lastSignAt }: BackupFacts) =>
  `Its audit ends at position ${lastEntry}, its deliveries ${lastSignAt === null ? 'have not begun' : `at ${lastSignAt}`}.`
