import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { recorded, shortLived } from './short-lived.ts'

/** A command of `npm run rampart` runs as a process, with these variables and none of ours. */
export function startCommand(
  words: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
) {
  const child = spawn(
    process.execPath,
    [...shortLived, '--import', './bin/hooks.mjs', 'bin/rampart/rampart.ts', ...words],
    {
      env: {
        NODE_ENV: 'production',
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...recorded,
        ...variables,
      },
    },
  )
  /** `output` has both streams in the order in which they came. */
  const said = { out: '', err: '', output: '' }
  for (const [name, stream] of [
    ['out', child.stdout],
    ['err', child.stderr],
  ] as const)
    stream.on('data', (chunk: Buffer) => {
      said[name] += chunk
      said.output += chunk
    })
  return {
    child,
    output: () => said.output,
    ended: once(child, 'close').then(([code]) => ({ code, ...said })),
  }
}

/** The result has the exit code and what the command printed. */
export async function runCommand(...given: Parameters<typeof startCommand>) {
  const { code, output } = await startCommand(...given).ended
  return { code, output }
}
