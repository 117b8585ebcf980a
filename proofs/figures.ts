import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

// `npm run figures` prints a maintainer's figures as tables.

const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean)
const files = tracked.filter((file) => !file.startsWith('lib/platform/db/generated/'))
const isCode = (file: string) => /\.(tsx?|mjs|sql|css|prisma)$/.test(file)
const isTest = (file: string) => /\.(test|spec)\.tsx?$/.test(file) || /^(e2e|test|sandbox\/test)\//.test(file)
const linesOf = (file: string) => fs.readFileSync(file, 'utf8').split('\n').length - 1
const wordsOf = (file: string) => fs.readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).length

const code = files.filter(isCode).map((file) => ({ file, lines: linesOf(file), area: areaOf(file) }))
const areas = [...new Set(code.map(({ area }) => area))].sort()

print(
  'Code',
  ['area', 'files', 'lines', 'median', '95 %', 'test files', 'test lines'],
  [
    ...areas.map((area) =>
      row(
        area,
        code.filter((one) => one.area === area),
      ),
    ),
    row('all', code),
  ],
)
printPackages()
printLastTest()
const documents = files.filter((file) => file.endsWith('.md'))
const decisions = documents.filter((file) => file.startsWith('docs/decisions/'))
print(
  'Documentation',
  ['', 'files', 'words'],
  [
    ['decisions', decisions.length, sum(decisions.map(wordsOf))],
    ['all', documents.length, sum(documents.map(wordsOf))],
  ],
)

/** The area is the folder at the top, or the root itself. */
function areaOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : 'root'
}

/** @param of files with their lines; the percentiles are those of files that are no tests */
function row(name: string, of: readonly { file: string; lines: number }[]): (string | number)[] {
  const [tests, sources] = [of.filter(({ file }) => isTest(file)), of.filter(({ file }) => !isTest(file))]
  const lines = sources.map((one) => one.lines).sort((a, b) => a - b)
  const at = (share: number) => lines[Math.floor((lines.length - 1) * share)] ?? 0
  return [
    ...[name, sources.length, sum(lines), at(0.5), at(0.95)],
    ...[tests.length, sum(tests.map((one) => one.lines))],
  ]
}

/** The packages are those of the lock file, and the size is that of the files installed now. */
function printPackages() {
  const PackageSchema = z.object({
    dev: z.boolean().optional(),
    devOptional: z.boolean().optional(),
    link: z.boolean().optional(),
  })
  const lock = z
    .object({ packages: z.record(z.string(), PackageSchema) })
    .parse(JSON.parse(fs.readFileSync('package-lock.json', 'utf8')))
  const installed = Object.entries(lock.packages).filter(
    ([place, { link }]) => place.includes('node_modules/') && !link && fs.existsSync(place),
  )
  const forStart = installed.filter(([, { dev, devOptional }]) => !dev && !devOptional)
  const mb = (of: typeof installed) => Math.round(sum(of.map(([place]) => bytesOf(place))) / 1e6)
  print(
    'Packages on this machine',
    ['for', 'packages', 'MB'],
    [
      ['npm start', forStart.length, mb(forStart)],
      ['npm test', installed.length, mb(installed)],
    ],
  )
}

/** The size is the package's bytes on disk, without the packages inside it. */
function bytesOf(folder: string): number {
  return sum(
    fs.readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const place = path.join(folder, entry.name)
      if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : bytesOf(place)
      return entry.isFile() ? fs.statSync(place).blocks * 512 : 0
    }),
  )
}

function printLastTest() {
  const file = 'test-results/npm-test.json'
  if (!fs.existsSync(file)) return console.log('\nThe last npm test: none ran to its end in this folder.')
  const seconds = z.record(z.string(), z.number()).parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  const ran = fs.statSync(file).mtime.toISOString().slice(0, 16).replace('T', ' ')
  print(`The last npm test (${ran} UTC)`, ['part', 'seconds'], Object.entries(seconds))
}

function print(title: string, columns: string[], rows: (string | number)[][]) {
  const cells = [columns, ...rows].map((one) =>
    one.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)),
  )
  const widths = columns.map((_, column) => Math.max(...cells.map((one) => one[column]?.length ?? 0)))
  console.log(`\n${title}`)
  for (const one of cells)
    console.log(
      `  ${one.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`,
    )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
