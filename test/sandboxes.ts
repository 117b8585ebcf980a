import { type ChildProcess, spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { freePort } from '../bin/postgres.ts'
import type { TemporaryPostgres } from '../bin/temporary-postgres.ts'

/** The tests' processes know these fields of a sandbox. */
export const TestSandboxSchema = z.object({
  port: z.number(),
  apiKey: z.string(),
  /** The proxy of `startService` listens at this port, by which the sandbox calls itself. */
  proxyPort: z.number(),
})
type TestSandbox = z.output<typeof TestSandboxSchema>

interface KeptSandbox extends TestSandbox {
  readonly settings: string
  readonly child: ChildProcess
}

/**
 * The keeper starts sandboxes for test files and keeps returned ones, because a start costs more than most tests. `POST
 * /take` with settings answers an empty sandbox, and `POST /give` with its port returns it.
 */
export async function keepSandboxes(postgres: TemporaryPostgres) {
  const started: KeptSandbox[] = []
  const idle = new Set<KeptSandbox>()

  async function take(settings: string): Promise<TestSandbox> {
    for (const sandbox of idle)
      if (sandbox.settings === settings && sandbox.child.exitCode === null) {
        idle.delete(sandbox)
        return sandbox
      }
    const sandbox = await startSandbox(await postgres.create(`sandbox_${crypto.randomUUID()}`), settings)
    started.push(sandbox)
    return sandbox
  }

  function give(port: number) {
    const sandbox = started.find((one) => one.port === port)
    if (sandbox) idle.add(sandbox)
  }

  const server = http.createServer(async (request, response) => {
    const body = await text(request)
    try {
      if (request.url === '/take') response.end(JSON.stringify(TestSandboxSchema.parse(await take(body))))
      else response.end(give(Number(body)))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close()
      await Promise.all(started.map(({ child }) => end(child)))
    },
  }
}

/** Another test may take a free port before the sandbox listens, and then another port is tried. */
async function startSandbox(databaseUrl: string, settings: string, tries = 3): Promise<KeptSandbox> {
  const [port, proxyPort, apiKey] = [await freePort(), await freePort(), crypto.randomUUID()]
  const child = spawn(process.execPath, ['sandbox/main.ts'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      NODE_ENV: 'test',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SANDBOX_PORT: String(port),
      SANDBOX_PUBLIC_URL: `http://localhost:${proxyPort}/onboarding`,
      SANDBOX_LOG_LEVEL: 'silent',
      SANDBOX_DATABASE_URL: databaseUrl,
      SANDBOX_API_KEY: apiKey,
      ...z.record(z.string(), z.string()).parse(JSON.parse(settings)),
    },
  })
  const ready = await Promise.race([
    once(child, 'message').then(() => true),
    once(child, 'exit').then(() => false),
  ])
  if (ready) return { port, proxyPort, apiKey, settings, child }
  if (tries === 1) throw new Error('The sandbox ended before it was ready')
  return startSandbox(databaseUrl, settings, tries - 1)
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
