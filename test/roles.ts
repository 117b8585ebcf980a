import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../bin/postgres.ts'
import { testKey } from './ingest.ts'

/** Pages need a build, and these roles need none. */
export const withoutPages = 'receiver,projector,live'

/** The function starts real processes on this database, as `npm run serve` does. Their service is away. It throws what they say when they do not start. */
export async function serveRoles(databaseUrl: string, settings: Record<string, string> = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-roles-'))
  const port = await freePort()
  const key = testKey('k1')
  const child: ChildProcess = spawn(process.execPath, ['bin/start.mjs', '--serve'], {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      RAMPART_DATA_DIR: folder,
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      PROJECTORS: '1',
      DATABASE_URL: databaseUrl,
      SERVICE_BASE_URL: 'http://localhost:1/onboarding',
      SERVICE_API_KEY: 'no-key',
      NEXTAUTH_SECRET: 'n'.repeat(32),
      // The database of a test need not survive a power failure.
      DATABASE_DURABILITY: 'assured',
      RAMPART_KEYS: `${key.id}:${key.bytes.toString('base64')}`,
      ...settings,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const ended = once(child, 'exit')
  const ready = async () => {
    while (!/^ready /m.test(output)) await sleep(50)
  }
  await Promise.race([ready(), ended])
  if (child.exitCode !== null) {
    fs.rmSync(folder, { recursive: true })
    throw new Error(output)
  }
  return {
    port,
    folder,
    output: () => output,
    url: (at: string) => `http://localhost:${port}${at}`,
    log: (name: string) => fs.readFileSync(path.join(folder, 'logs', name), 'utf8'),
    async stop() {
      child.kill('SIGTERM')
      await ended
      fs.rmSync(folder, { recursive: true })
    },
  }
}

/** The receiver's service sends a delivery to these processes. */
export const deliverTo = (
  group: Awaited<ReturnType<typeof serveRoles>>,
  receiver: { readonly id: string; readonly authorization: string },
  headers: Readonly<Record<string, string>> = {},
) =>
  fetch(group.url(`/api/webhooks/${receiver.id}`), {
    method: 'POST',
    headers: { authorization: receiver.authorization, ...headers },
    body: '{"type":"KYC","subType":"SUCCESS"}',
  })
