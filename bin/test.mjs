// `npm test`: installs what is locked, then checks everything, or the parts named, under the pinned Node.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { install, pinnedNode, root } from './install.mjs'

install()
const words = ['--import', './bin/hooks.mjs', path.join('bin', 'check.ts'), ...process.argv.slice(2)]
process.exit(spawnSync(pinnedNode(), words, { cwd: root, stdio: 'inherit' }).status ?? 1)
