import { spawnSync } from 'node:child_process'
import { findChromium } from './chromium.ts'

// `npm run pictures`: starts Rampart with its demo, takes the README's pictures anew, and stops it.
const words = ['node_modules/.bin/playwright', 'test', '--config', 'e2e/pictures.config.ts']
const { status } = spawnSync(process.execPath, words, {
  stdio: 'inherit',
  env: { ...process.env, CHROMIUM_PATH: await findChromium(console.log) },
})
process.exit(status ?? 1)
