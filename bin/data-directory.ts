import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { OperatorError } from '#lib/operator-error.ts'

/** What Rampart made once for itself; lost with the directory, so keep it with the data. */
export interface Secrets {
  readonly nextauthSecret: string
  readonly keys: string
  readonly sandboxApiKey: string
  /** Of the cluster's superuser, who makes the other three roles. */
  readonly postgresPassword: string
  readonly ownerPassword: string
  readonly applicationPassword: string
  readonly sandboxPassword: string
}

/** Older versions knew one role only: the passwords of the others are made when the directory is opened. */
const SecretsSchema = z.object({
  nextauthSecret: z.string(),
  keys: z.string(),
  sandboxApiKey: z.string(),
  postgresPassword: z.string(),
  ownerPassword: z.string().default(''),
  applicationPassword: z.string().default(''),
  sandboxPassword: z.string().default(''),
})

export class AlreadyRunningError extends OperatorError {}

/**
 * Opens the data directory (mode 0700) for this process alone. Throws `AlreadyRunningError` when a living
 * Rampart holds it; one that was killed does not count.
 */
export function openDataDirectory(folder: string): { secrets: Secrets; logs: string; close(): void } {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  fs.chmodSync(folder, 0o700)
  const lock = path.join(folder, 'rampart.pid')
  const holder = fs.existsSync(lock) ? fs.readFileSync(lock, 'utf8') : undefined
  if (holder && holder === identity(Number(holder.split(' ')[0])))
    throw new AlreadyRunningError(
      `Rampart runs already on ${folder} (process ${holder.split(' ')[0]}). Stop it first, or set RAMPART_DATA_DIR.`,
    )
  fs.writeFileSync(lock, identity(process.pid) ?? '', { mode: 0o600 })
  const logs = path.join(folder, 'logs')
  fs.mkdirSync(logs, { recursive: true, mode: 0o700 })
  return {
    secrets: completeSecrets(folder),
    logs,
    close: () => fs.rmSync(lock, { force: true }),
  }
}

/** What a data directory holds; null when it was never opened. */
export function readSecrets(folder: string): Secrets | null {
  const file = secretsFile(folder)
  return fs.existsSync(file) ? SecretsSchema.parse(JSON.parse(fs.readFileSync(file, 'utf8'))) : null
}

/** Keeps what is there, and makes what is missing. */
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
  // Renamed into place, so that a crash leaves the whole file or none.
  fs.writeFileSync(`${file}.new`, JSON.stringify(made, null, 2), { mode: 0o600, flush: true })
  fs.renameSync(`${file}.new`, file)
  return made
}

const secretsFile = (folder: string) => path.join(folder, 'secrets.json')

/** A process number with its start time (where the system shows it), since numbers are used again. */
function identity(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
    const stat = `/proc/${pid}/stat`
    const started = fs.existsSync(stat) ? fs.readFileSync(stat, 'utf8').split(') ')[1]?.split(' ')[19] : ''
    return `${pid} ${started}`
  } catch {
    return undefined
  }
}

const random = (bytes: number) => crypto.randomBytes(bytes).toString('base64url')
