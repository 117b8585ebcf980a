import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { findCluster } from './cluster.ts'
import { createFile, findNames, findText, inOneLine, makeFolder } from './folders.ts'
import { lockFolder } from './process-lock.ts'

/** Rampart creates these secrets once. They are lost with the directory, so keep it with the data. */
export interface Secrets {
  readonly nextauthSecret: string
  readonly keys: string
  readonly sandboxApiKey: string
  /** The password is that of the cluster's superuser, who creates the other three roles. */
  readonly postgresPassword: string
  readonly ownerPassword: string
  readonly applicationPassword: string
  readonly sandboxPassword: string
}

/** Older versions knew one role only, so the other passwords are created when the directory is opened. */
const SecretsSchema = z.object({
  nextauthSecret: z.string(),
  keys: z.string(),
  sandboxApiKey: z.string(),
  postgresPassword: z.string(),
  ownerPassword: z.string().default(''),
  applicationPassword: z.string().default(''),
  sandboxPassword: z.string().default(''),
})

export interface DataDirectoryOptions {
  /** When true, the embedded PostgreSQL will be started in the directory. */
  readonly withPostgres: boolean
  /** The callback gets problems that do not stop the start. */
  readonly warn: (line: string) => void
}

/**
 * The function opens the data directory for this process alone. A missing one gets mode 0700, an existing one keeps mode and
 * owner, and new files are private. It throws an `AlreadyRunningError` while another Rampart holds it, and an
 * `OperatorError` for foreign contents.
 */
export function openDataDirectory(
  folder: string,
  { withPostgres, warn }: DataDirectoryOptions,
): { secrets: Secrets; logs: string; close(): void } {
  return inOneLine(`Rampart cannot work in RAMPART_DATA_DIR=${folder}`, advice, () => {
    makeFolder(folder)
    if (!fs.statSync(folder).isDirectory())
      throw new OperatorError(
        `RAMPART_DATA_DIR=${folder} is a file. Give a folder, which is made when it is missing. Example: RAMPART_DATA_DIR=.data`,
      )
    const logs = path.join(folder, 'logs')
    requireOwnContents(folder, logs, withPostgres)
    const close = lockFolder(
      folder,
      (pid) => `Rampart runs already on ${folder} (process ${pid}). Stop it first, or set RAMPART_DATA_DIR.`,
    )
    try {
      const secrets = completeSecrets(folder)
      makeFolder(logs)
      for (const place of [folder, logs]) warnOfOthers(place, warn)
      return { secrets, logs, close }
    } catch (error) {
      close()
      throw error
    }
  })
}

/**
 * The result is the secrets in a data directory, or null when it was never opened. The function throws an `OperatorError`
 * when it cannot read that.
 */
export function readSecrets(folder: string): Secrets | null {
  const file = secretsFile(folder)
  return inOneLine(`The secrets in RAMPART_DATA_DIR=${folder} cannot be read`, advice, () => {
    const text = findText(file)
    if (text === undefined) return null
    requireTrustedOwner(file, folder)
    const secrets = SecretsSchema.safeParse(parseJson(text)).data
    if (!secrets)
      throw new OperatorError(
        `${file} does not hold Rampart's secrets. Restore it from a backup, or set RAMPART_DATA_DIR to another folder.`,
      )
    return secrets
  })
}

const advice = 'Put that right, or set RAMPART_DATA_DIR to another folder.'

/**
 * A name that Rampart uses may belong to somebody else's file. Rampart cuts its logs off from time to time, and must not do
 * that to other files.
 */
function requireOwnContents(folder: string, logs: string, withPostgres: boolean) {
  const secrets = readSecrets(folder)
  const postgres = path.resolve(folder, 'postgres')
  const cluster = withPostgres ? findCluster(postgres) : undefined
  if (cluster && !cluster.exists) requireTrustedOwner(postgres, folder)
  if (cluster?.exists && !secrets)
    throw new OperatorError(
      `${secretsFile(folder)} is missing, without which the database in ${cluster.place} cannot be opened. Restore it from a backup, or set RAMPART_DATA_DIR to another folder.`,
    )
  const [kept] = findNames(logs) ?? []
  if (kept !== undefined && !secrets)
    throw new OperatorError(
      `${logs} holds "${kept}", which Rampart did not put there. Move that elsewhere, or set RAMPART_DATA_DIR to another folder.`,
    )
  requireTrustedOwner(logs, folder)
}

/** A folder where others can write as well, such as /tmp, may contain their files under our names. */
function requireTrustedOwner(place: string, folder: string) {
  const { uid } = fs.lstatSync(place, { throwIfNoEntry: false }) ?? {}
  if (uid !== undefined && ![0, process.getuid?.(), fs.statSync(folder).uid].includes(uid))
    throw new OperatorError(
      `${place} belongs to another user (uid ${uid}), who may have put it there. Remove it, or set RAMPART_DATA_DIR to a folder of its own.`,
    )
}

/** The sticky bit protects our files from others, and a personal group has no other members. */
function warnOfOthers(folder: string, warn: (line: string) => void) {
  const { uid, gid, mode } = fs.statSync(folder)
  const others = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid?.())
  if (others && (mode & 0o1000) === 0)
    warn(
      `Other users can write to ${folder} (mode ${(mode & 0o7777).toString(8)}) and so remove what Rampart keeps there. Take that from them: chmod go-w ${folder}`,
    )
  if (uid !== 0 && uid !== process.getuid?.())
    warn(`${folder} belongs to another user (uid ${uid}), who can remove what Rampart keeps there.`)
}

/** The function keeps existing secrets, and creates missing ones. */
function completeSecrets(folder: string): Secrets {
  const file = secretsFile(folder)
  const kept = readSecrets(folder)
  const made: Secrets = {
    nextauthSecret: kept?.nextauthSecret ?? random(32),
    keys: kept?.keys ?? `k1:${crypto.randomBytes(32).toString('base64')}`,
    sandboxApiKey: kept?.sandboxApiKey ?? `sandbox-${random(24)}`,
    postgresPassword: kept?.postgresPassword ?? random(24),
    ownerPassword: kept?.ownerPassword || random(24),
    applicationPassword: kept?.applicationPassword || random(24),
    sandboxPassword: kept?.sandboxPassword || random(24),
  }
  if (kept && Object.entries(made).every(([name, value]) => kept[name as keyof Secrets] === value))
    return kept
  // The file is renamed into place, so that a crash leaves the whole file or none.
  const written = `${file}.${random(6)}`
  createFile(written, JSON.stringify(made, null, 2))
  fs.renameSync(written, file)
  return made
}

const secretsFile = (folder: string) => path.join(folder, 'secrets.json')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const random = (bytes: number) => crypto.randomBytes(bytes).toString('base64url')
