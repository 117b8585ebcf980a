import fs from 'node:fs'
import path from 'node:path'

/** These words appear only in server code, which knows the secrets. */
const serverWords =
  /SERVICE_API_KEY|NEXTAUTH_SECRET|RAMPART_KEYS|DATABASE_URL|service-session-id|service_session_id|one_time_password|secret_digest|postgresql:/

/**
 * The list has each file for browsers below `folder` that contains such a word, as `file: word`. The function throws when
 * there is no script.
 */
export function findServerCode(folder: string): string[] {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
  if (!files.some((file) => file.endsWith('.js'))) throw new Error(`${folder} holds no script to look at`)
  return files.flatMap((file) => {
    const word = serverWords.exec(fs.readFileSync(file, 'utf8'))?.[0]
    return word ? [`${file}: ${word}`] : []
  })
}
