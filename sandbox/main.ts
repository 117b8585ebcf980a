#!/usr/bin/env node
import { describeSettings, readEnv, StartError } from './env.ts'
import { type RunningSandbox, startSandbox } from './start.ts'

/** `node sandbox/main.ts` runs the sandbox. It exits with 0 after a signal to stop, and with 1 when it cannot continue. */
const [word] = process.argv.slice(2)
try {
  if (word === '--help' || word === '-h') console.log(help())
  else if (word !== undefined)
    throw new StartError(`There is no ${word}: settings are environment variables, which --help lists`)
  else await run()
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.error(error.message)
  process.exit(1)
}

async function run() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 18))
    throw new StartError(`The sandbox needs Node 22.18 or newer; this is ${process.versions.node}`)
  const env = readEnv()
  const sandbox = await startSandbox(env)
  // A parent process prints the address itself.
  if (process.send) process.send({ kind: 'ready' })
  else console.log(addresses(sandbox, env.apiKey !== undefined))
  stopOnRequest(sandbox)
}

function stopOnRequest(sandbox: RunningSandbox) {
  let stopping = false
  const stop = async (exitCode: number) => {
    if (stopping) return
    stopping = true
    await sandbox.stop()
    process.exit(exitCode)
  }
  process.on('SIGTERM', () => stop(0))
  process.on('SIGINT', () => stop(0))
  process.on('disconnect', () => stop(0))
  sandbox.ended.then(
    () => stop(1),
    (error: unknown) => {
      sandbox.log.fatal({ err: error }, 'The sandbox cannot go on')
      return stop(1)
    },
  )
}

function addresses({ port, publicUrl, apiKey }: RunningSandbox, keyGiven: boolean) {
  return `
  Console       http://localhost:${port}/
  Every call    http://localhost:${port}/docs
  Base address  ${publicUrl}
  API key       ${keyGiven ? 'the one in SANDBOX_API_KEY' : `${apiKey} (made for this run; give your own in SANDBOX_API_KEY)`}
`
}

function help() {
  return `The service that turns fiat into stablecoins and back, to try a merchant's software against.

  SANDBOX_DATABASE_URL=postgres://sandbox:sandbox@127.0.0.1/sandbox rampart-sandbox

It needs a PostgreSQL database of its own, which it fills. Where PostgreSQL is installed, this makes one:

  sudo -u postgres psql -c "CREATE ROLE sandbox LOGIN PASSWORD 'sandbox'" -c "CREATE DATABASE sandbox OWNER sandbox"

Settings are environment variables; only the first must be given:

${describeSettings()}
`
}
