// This file is plain JavaScript without packages, like its neighbour `launch.mjs`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** A start runs these programs, and starts some of them again later. */
const programs = [
  ...['bin/supervise.ts', 'bin/maintain.ts', 'bin/welcome.ts', 'bin/keep-own-log-small.ts'],
  ...['server.ts', 'projector.ts', 'live.ts'],
]

/** All modules of a program are compiled before the first of them runs, and this one ends the process. */
const end = `data:text/javascript,import{flushCompileCache}from'node:module';flushCompileCache();process.exit()`

/**
 * The function fills Node's compile cache once for each build, user and Node. A process that finds a file missing there loads
 * Node's compiler of TypeScript, and keeps its 27 MB as long as it runs. Nothing is lost where the cache cannot be written.
 * @param {string} node
 * @param {string} cache
 */
export async function compileAhead(node, cache) {
  try {
    // The pages' sources include `lib`.
    const sources = [
      fs.readFileSync('.next/made-from', 'utf8'),
      ...programs.map((file) => fs.statSync(file).mtimeMs),
    ]
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout
    const wanted = `${version}${sources.join(' ')}`
    const mark = path.join(cache, `compiled-${process.getuid?.() ?? ''}`)
    if (fs.existsSync(mark) && fs.readFileSync(mark, 'utf8') === wanted) return
    fs.mkdirSync(cache, { recursive: true })
    fs.writeFileSync(mark, '')
    const source = [end, ...programs.map((file) => `./${file}`)].map(
      (place) => `import ${JSON.stringify(place)}`,
    )
    const words = ['--import', './bin/hooks.mjs', '--input-type=module', '--eval', source.join('\n')]
    const env = { ...process.env, NODE_COMPILE_CACHE: cache }
    if ((await run(node, words, env)) === 0) fs.writeFileSync(mark, wanted)
  } catch {
    // There is no build, or the cache cannot be written: each process then compiles for itself.
  }
}

/**
 * A signal that ends this process ends the program too, which would run on alone.
 * @param {string} program
 * @param {string[]} words
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number | null>} its exit code
 */
async function run(program, words, env) {
  const child = spawn(program, words, { stdio: 'ignore', env })
  /** @param {'SIGINT' | 'SIGTERM' | 'SIGHUP'} signal */
  const end = (signal) => {
    child.kill('SIGKILL')
    process.exit(128 + os.constants.signals[signal])
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, end)
  const [code] = await once(child, 'exit')
  for (const signal of signals) process.off(signal, end)
  return code
}
