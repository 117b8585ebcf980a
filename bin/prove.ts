import fs from 'node:fs'

// `npm run prove -- NAME`: runs one of the long proofs of prove/, which ends with exit code 0 or says what is wrong.
const names = fs
  .readdirSync('prove')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''))
const name = process.argv[2]
if (!name || !names.includes(name)) {
  console.error(`npm run prove -- NAME, where NAME is one of: ${names.join(', ')}`)
  process.exit(1)
}
const { default: run } = await import(`../prove/${name}.ts`)
await run(process.argv.slice(3))
