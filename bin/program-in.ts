import fs from 'node:fs'

/**
 * The default export of the program in `folder` that the first word names; ends with one line that lists them otherwise.
 * @param command how the programs of this folder are run, `npm run COMMAND -- NAME`
 */
export async function programIn(
  folder: 'bench' | 'resilience',
  command: string,
): Promise<(words: string[]) => Promise<unknown>> {
  const names = fs
    .readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
    .map((file) => file.slice(0, -3))
  const name = process.argv[2]
  if (!name || !names.includes(name)) {
    console.error(`npm run ${command} -- NAME, where NAME is one of: ${names.join(', ')}`)
    process.exit(1)
  }
  // So that what is to be done at the end is done.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))
  const program = await import(`../${folder}/${name}.ts`)
  return program.default
}
