// `npm start` and `npm run dev`: installs what is locked, then goes on under the pinned Node.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { install, pinnedNode, root } from './install.mjs'

install()
const node = pinnedNode()
if (node === process.execPath) {
  process.chdir(root)
  await import('./hooks.mjs')
  await import('./run.ts')
} else {
  const words = [path.join(root, 'bin', 'start.mjs'), ...process.argv.slice(2)]
  const child = spawn(node, words, { cwd: root, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => process.exit(code ?? 1))
}
