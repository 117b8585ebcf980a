import { spawnSync } from 'node:child_process'
import { findChromium } from './chromium.ts'

// `npm run pictures` starts Rampart with its demo, takes the README's pictures again, and stops it.
const words = ['node_modules/.bin/playwright', 'test', '--config', 'e2e/pictures.config.ts']
const { status } = spawnSync(process.execPath, words, {
  stdio: 'inherit',
  // Pictures show addresses, which must stay the same each time.
  env: { ...process.env, CHROMIUM_PATH: await findChromium(console.log), RAMPART_E2E_PORTS: '3105 4105' },
})
process.exit(status ?? 1)
