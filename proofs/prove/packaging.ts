import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { failedResult, passedResult, type Result, skippedResult } from '../../bin/check/result.ts'
import { assemble, standInsOfTree } from '../packaging/assemble.ts'
import { requireContainers } from '../packaging/container.ts'
import { CannotRunHere } from './faults/test-bed.ts'

export const when =
  'ops/Dockerfile or what a start reads or writes changed; installs and builds as the file says, `npm test` runs it `short`'

/**
 * The proof does the steps of ops/Dockerfile, and starts the result as an engine would: as nobody, on a read-only root, with
 * a network of loopback alone.
 * @param words `short` takes what this tree has installed and built, instead of `npm ci` and `npm run build`
 */
export default async function provePackaging(words: string[]): Promise<Result> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-image-'))
  // PostgreSQL has a folder of its own, and this one need not be readable to it.
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  try {
    requireContainers()
    const image = assemble(folder, words.includes('short') ? standInsOfTree : {})
    console.log(`image: ${await startWithoutNetwork(JSON.stringify(image), JSON.stringify([migration()]))}`)
    return passedResult
  } catch (error) {
    if (error instanceof CannotRunHere) {
      console.log(`image: SKIPPED, ${error.message}`)
      return skippedResult(`packaging (${error.message})`)
    }
    console.error('image: FAILED', error)
    return failedResult('packaging', error)
  }
}

/** The program ends with 0 when all went well, and its last line says what that was. */
async function startWithoutNetwork(...words: string[]): Promise<string> {
  const script = 'ip link set lo up && exec "$0" "$@"'
  const program = [
    process.execPath,
    '--import',
    './bin/hooks.mjs',
    'proofs/packaging/image-inside.ts',
    ...words,
  ]
  const child = spawn('unshare', ['--net', 'sh', '-c', script, ...program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  const last = said.trim().split('\n').at(-1) ?? ''
  if (code !== 0) throw new Error(`It ended with ${code}: ${last}`)
  return last
}

const JobSchema = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({ containers: z.tuple([z.object({ command: z.array(z.string()) })]) }),
    }),
  }),
})

/** The command is that of the Kubernetes Job. */
const migration = () =>
  JobSchema.parse(parse(fs.readFileSync('ops/kubernetes/migrate.yaml', 'utf8'))).spec.template.spec
    .containers[0].command
