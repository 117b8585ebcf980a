import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { librariesOf, unpackDebianPackages } from '../bin/debian-packages.ts'
import { apiKey, startTestSandbox } from './test/running.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

it('docs/sandbox.md prints what it says when its blocks are pasted one after the other', async ({ skip }) => {
  const curl = await findCurl()
  if (!curl) return skip('needs curl')
  const blocks = parseBlocks(await readFile(`${root}docs/sandbox.md`, 'utf8'))
  expect(blocks.length).toBeGreaterThan(10)
  const sandbox = await startTestSandbox()
  const printed = await runInShell(
    blocks.map(({ commands }) => commands),
    { ...curl, SANDBOX: sandbox.origin, SANDBOX_API_KEY: apiKey, HOOK_PORT: String(await findFreePort()) },
  )
  for (const [index, { commands, output }] of blocks.entries()) {
    expect(printed[index], commands).toMatch(patternOf(output))
  }
  expect((await sandbox.control('GET', '/endpoints')).body).toEqual([])
  await sandbox.stop()
  // The time-out covers fetching curl where it is missing.
}, 150_000)

/**
 * The variables let a shell find curl, either the system's or Debian's unpacked one. The answer is null when there is no
 * curl.
 */
async function findCurl(): Promise<Record<string, string> | null> {
  const searchPath = process.env.PATH ?? ''
  if (searchPath.split(':').some((folder) => existsSync(`${folder}/curl`))) return {}
  const packages = await unpackDebianPackages('curl')
  if (packages === null) return null
  return { PATH: `${packages}/usr/bin:${searchPath}`, LD_LIBRARY_PATH: librariesOf(packages) }
}

/** Each block of commands comes with the output printed below it. A block without output prints nothing. */
function parseBlocks(page: string) {
  return [...page.matchAll(/```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?/gs)].map(
    ([, commands = '', output = '']) => ({ commands, output }),
  )
}

/** One shell runs all blocks, as when a person pastes them. The answer holds each block's output, errors included. */
async function runInShell(blocks: string[], variables: Record<string, string>) {
  const script = [
    'set -euo pipefail; exec 2>&1',
    "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT",
    ...blocks.map((commands) => `${commands}\necho ${border}`),
  ]
  const env = { ...process.env, ...variables }
  const shell = promisify(execFile)('bash', ['-c', script.join('\n')], { cwd: root, env, timeout: 50_000 })
  const { stdout } = await shell.catch((error: Error & { stdout: string }) => {
    throw new Error(`The shell ended early. It printed:\n${error.stdout}`)
  })
  return stdout.split(`${border}\n`)
}

const border = '-- next block --'

/** `…` matches any text within a line. */
const patternOf = (output: string) => new RegExp(`^${output.split('…').map(RegExp.escape).join('.+')}$`)

async function findFreePort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return address.port
}
