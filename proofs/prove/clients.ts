import fs from 'node:fs'
import path from 'node:path'
import { failedResult, passedResult, type Result, skippedResult, sumResults } from '../../bin/check/result.ts'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { readEnv } from '../../sandbox/env.ts'
import { startSandbox } from '../../sandbox/start.ts'
import { testVariables } from '../../sandbox/test/running.ts'
import { clientMakers, doJob, otherGenerators, type Workshop, writeDocuments } from './clients/languages.ts'
import { CannotRunHere } from './faults/test-bed.ts'

export const when = "the sandbox's calls or their schemas changed; 15 minutes, most of them compilers"

/**
 * The proof generates clients from the sandbox's documents in each language that this machine has. A compiled program then
 * does a merchant backend's whole job with them. Other generators' clients are compiled, and do what once failed.
 * @param words names of languages and generators, all by default
 */
export default async function proveClients(words: string[]): Promise<Result> {
  const postgres = await startTemporaryPostgres('clients', ['fsync=off'])
  const sandbox = await startSandbox(readEnv(testVariables(await postgres.create('sandbox'))))
  const origin = `http://localhost:${sandbox.port}`
  const addresses = { origin, publicUrl: sandbox.publicUrl }
  const results: Result[] = []
  try {
    const documents = await writeDocuments(origin, path.join(postgres.folder, 'documents'))
    const jobs = Object.entries(clientMakers).map(([name, make]) => ({ name, make, job: true }))
    const others = Object.entries(otherGenerators).map(([name, make]) => ({ name, make, job: false }))
    for (const { name, make, job } of [...jobs, ...others]) {
      if (words.length > 0 && !words.includes(name)) continue
      const folder = path.join(postgres.folder, name)
      fs.mkdirSync(folder)
      const workshop: Workshop = { folder, documents }
      results.push(await tell(name, async () => doJob(await make(workshop), job ? addresses : undefined)))
    }
  } finally {
    await sandbox.stop()
    await postgres.stop()
  }
  return sumResults(results)
}

/** The function prints one line about the result. */
async function tell(name: string, run: () => Promise<string>): Promise<Result> {
  const began = performance.now()
  const seconds = () => `${Math.round((performance.now() - began) / 1_000)} s`
  try {
    console.log(`${name}: ${await run()}, ${seconds()}`)
    return passedResult
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const leftOut = error instanceof CannotRunHere
    console.log(`${name}: ${leftOut ? 'left out, it ' : ''}${why}`)
    return leftOut ? skippedResult(`${name} (${why})`) : failedResult(name, why)
  }
}
