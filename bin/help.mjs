// This file is plain JavaScript without packages: help installs nothing and starts nothing.

const settings =
  'Settings are environment variables, which docs/configure.md lists. Example: PORT=3700 npm start'

/** Each program of package.json has its help. `npm run rampart` has commands, and prints its own. */
const texts = {
  start: `npm start              installs what is missing, builds the pages, and runs Rampart
npm run serve          runs what "npm run build" has built; it needs no network
npm run dev            runs it with reload, for those who work on it

It runs until Ctrl-C or SIGTERM. ${settings}
Exit codes: 0 stopped, 1 not started or ended by a failure.`,
  'bin/build-pages.ts': `npm run build

It builds the pages for "npm run serve". It needs 2 GB of memory, and no database. Interrupted, it begins anew the next time.`,
  'proofs/bench.ts': `npm run bench -- NAME

It runs one benchmark, both sides of a comparison in one run. Without a name it lists them. Interrupted, it begins anew.`,
  'proofs/prove.ts': `npm run prove -- NAME

It runs one long proof. Without a name it lists them, and when each is worth running. Interrupted, it begins anew.`,
  'proofs/figures.ts': `npm run figures

It prints lines, files, packages, seconds of the last "npm test", and words of documentation.`,
  'bin/sbom.ts': `npm run sbom

It writes which packages are installed, as CycloneDX, and their licences.`,
  'bin/pictures.ts': `npm run pictures

It takes the pictures of the README anew.`,
  'bin/check.ts': `npm test
npm test -- PART…                checks these parts alone
npm run test:changed -- COMMIT   checks what the changes since a commit can affect

It checks everything. CONTRIBUTING.md lists the parts.`,
}

/** The text is undefined when nobody asked for help, or when the program prints its own. */
export function helpAskedFor(program, words) {
  const isAsked = words.some((word) => word === '--help' || word === '-h') || words[0] === 'help'
  return isAsked ? texts[program] : undefined
}

/** These programs take no words. The line says that one was given. */
export function refusalOfWords(program, [word]) {
  if (word === undefined || !['bin/build-pages.ts', 'proofs/figures.ts'].includes(program)) return undefined
  return `There is no ${word} here.\n\n${texts[program]}`
}
