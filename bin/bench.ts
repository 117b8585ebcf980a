import fs from 'node:fs'

// `npm run bench -- NAME`: runs one benchmark of bench/; its last line is its name with its figures.
const names = fs
  .readdirSync('bench')
  .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
  .map((file) => file.slice(0, -3))
const name = process.argv[2]
if (!name || !names.includes(name)) {
  console.error(`npm run bench -- NAME, where NAME is one of: ${names.join(', ')}`)
  process.exit(1)
}
const { default: run } = await import(`../bench/${name}.ts`)
await run()
