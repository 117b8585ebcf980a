// Plain JavaScript without packages: it runs before anything is installed, on any Node from 20 on.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { install, pinnedNode, root } from './install.mjs'

const hooks = path.join(root, 'bin', 'hooks.mjs')

/** Runs a program of the project in its root: installs what is locked, then goes on under the pinned Node. */
export async function launch(file, words = process.argv.slice(2)) {
  await install()
  process.chdir(root)
  // Whatever it starts, and that is a lot in the tests, need not compile again what was compiled before.
  process.env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules', '.cache', 'node')
  const node = pinnedNode()
  if (node === process.execPath) {
    process.argv = [node, path.join(root, file), ...words]
    // What it forks is to know the hooks too.
    process.execArgv.push('--import', hooks)
    await import('./hooks.mjs')
    await import(`../${file}`)
    return
  }
  const child = spawn(node, ['--import', hooks, file, ...words], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => process.exit(code ?? 1))
}
