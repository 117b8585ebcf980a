import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { freePort } from '../../bin/postgres.ts'
import type { ServiceUnderTest } from './kit/check-context.ts'

export type OwnSandbox = Required<ServiceUnderTest> & { stop(): Promise<void> }

/**
 * The sandbox runs as its own process on an empty database.
 * @param folder of its source; the project's own by default
 */
export async function startOwnSandbox(
  databaseUrl: string,
  folder = path.resolve(import.meta.dirname, '../../sandbox'),
): Promise<OwnSandbox> {
  for (let left = 3; ; left--) {
    const started = await tryToStart(databaseUrl, folder)
    if (typeof started !== 'string') return started
    // Another process may take the port first.
    if (left === 0 || !started.startsWith('Port '))
      throw new Error(`The sandbox ended while starting: ${started}`)
  }
}

/** The result is the text that it wrote instead when it ended. */
async function tryToStart(databaseUrl: string, folder: string): Promise<OwnSandbox | string> {
  const port = await freePort()
  const apiKey = randomUUID()
  const child = spawn(process.execPath, [path.join(folder, 'main.ts')], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    env: {
      NODE_ENV: 'test',
      SANDBOX_PORT: String(port),
      SANDBOX_DATABASE_URL: databaseUrl,
      SANDBOX_API_KEY: apiKey,
      SANDBOX_LOG_LEVEL: 'warn',
      SANDBOX_AUTO_DISABLE_AFTER: '4',
    },
  })
  let written = ''
  child.stderr?.on('data', (chunk) => {
    written += chunk
    process.stderr.write(chunk)
  })
  const ended = once(child, 'close')
  const ready = once(child, 'message')
  const [message] = await Promise.race([ready, ended])
  if (typeof message !== 'object') return written.trim() || `exit code ${message}`
  return {
    baseUrl: `http://localhost:${port}/onboarding`,
    controlUrl: `http://localhost:${port}/_sandbox`,
    apiKey,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
