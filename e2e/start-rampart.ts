import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import type { Readable } from 'node:stream'
import { port, rampartUrl, sandboxPort } from './addresses.ts'
import { dataDirVariable } from './database.ts'

/** The setup starts Rampart as a person does, in an empty data directory, and stops it the same way. */
export default async function startRampart() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-e2e-'))
  process.env[dataDirVariable] = dataDir
  const child = spawn(process.execPath, ['bin/start.mjs'], {
    env: {
      ...process.env,
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      RAMPART_DATA_DIR: dataDir,
      WALLETCONNECT_PROJECT_ID: '0'.repeat(32),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  if (!(await saysReady(child.stdout))) throw new Error(`npm start ended with ${(await gone)[0]}`)
  return async () => {
    child.kill('SIGTERM')
    const [code] = await gone
    const moved = path.join(dataDir, 'postgres', 'MOVED')
    if (fs.existsSync(moved)) fs.rmSync(fs.readFileSync(moved, 'utf8').trim(), { recursive: true })
    fs.rmSync(dataDir, { recursive: true })
    if (code !== 0) throw new Error(`npm start ended with ${code} after SIGTERM`)
  }
}

/** The answer is false when the output ends without the line. */
async function saysReady(output: Readable): Promise<boolean> {
  for await (const line of readline.createInterface({ input: output }))
    if (line === `ready ${rampartUrl}`) return true
  return false
}
