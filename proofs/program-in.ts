import fs from 'node:fs'
import path from 'node:path'

/**
 * The result is the default export of the program in `proofs/COMMAND` that the first word names. Without such a name the
 * function prints all names, each with when it is worth running, and exits with 1.
 * @param command `npm run COMMAND -- NAME` runs the programs of this folder
 */
export async function programIn(command: 'bench' | 'prove'): Promise<(words: string[]) => Promise<unknown>> {
  const folder = path.join(import.meta.dirname, command)
  const files = fs.readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
  const names = files.map((file) => file.slice(0, -3))
  const name = process.argv[2]
  if (name === undefined || !names.includes(name)) {
    const longest = Math.max(...names.map(({ length }) => length))
    const list = names.map(
      (one) => `  ${one.padEnd(longest)}  ${whenToRun(path.join(folder, `${one}.ts`))}\n`,
    )
    process.stderr.write(`npm run ${command} -- NAME, where NAME is one of:\n${list.join('')}`)
    process.exit(1)
  }
  // The exit handlers still run.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))
  const program = await import(path.join(folder, `${name}.ts`))
  return program.default
}

/**
 * A program says this in its constant `when`. The function reads the source, because importing all programs takes seconds.
 */
function whenToRun(file: string): string {
  const [, , when] = /^export const when =\s*(['"])(.+)\1$/m.exec(fs.readFileSync(file, 'utf8')) ?? []
  if (when === undefined)
    throw new Error(`${file} must say in \`export const when\` when it is worth running`)
  return when
}
