// This file is plain JavaScript without packages. npm runs it after each install, and it removes files that no program here
// loads, a third of what is installed. Decision 0110.
import fs from 'node:fs'
import path from 'node:path'
import { root, unused } from './install.mjs'

const packages = path.join(root, 'node_modules')

const by = process.env.npm_config_user_agent?.split('/')[0] || 'npm'
if (by !== 'npm') {
  console.error(
    `Rampart is installed by npm, and ${by} takes other versions than those that are locked: npm start repairs that. Remove the lock file that ${by} wrote.`,
  )
  process.exit(1)
}

for (const entry of fs.readdirSync(packages, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath ?? entry.path, entry.name)
  if (entry.isFile() && unused.some((place) => place.test(path.relative(packages, file))))
    fs.rmSync(file, { force: true })
}
