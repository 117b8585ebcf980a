import fs from 'node:fs'
import path from 'node:path'

/** An assumption is a choice that the code marks as its own, where the contract is silent. */
export interface Assumption {
  readonly file: string
  readonly line: number
  readonly says: string
}

/** The list has every `ASSUMED:` with its sentence, in the folders that are built upon the contract. */
export function findAssumptions(root: string): Assumption[] {
  return ['sandbox', 'lib', 'components', 'app'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !name.includes('generated'))
      .sort()
      .flatMap((name) => readFile(root, path.join(folder, name))),
  )
}

function readFile(root: string, file: string): Assumption[] {
  const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) =>
    [...line.matchAll(assumedMark)].map((mark) => {
      const rest = line.slice(mark.index + mark[0].length)
      return { file, line: index + 1, says: readSentence([rest, ...lines.slice(index + 1)]) }
    }),
  )
}

/** The mark appears in a comment or in a text. A mention of it is written in backticks. */
const assumedMark = /(?<!`)\bASSUMED:(?=\s|$)/g

/** The sentence runs from the mark to its end, or to the end of the comment or text. */
function readSentence([first = '', ...following]: string[]): string {
  const further = following.map((line) => /^\s*(?:\/\/|\*(?!\/))(.*)$/.exec(line)?.[1])
  const end = first.includes('*/') ? 0 : further.indexOf(undefined)
  const text = [first, ...further.slice(0, end)]
    .join(' ')
    .replace(/\*\/.*/, '')
    .replace(/\s+/g, ' ')
    .trim()
  return /^.*?[.](?=['`]| [A-Z`]|$)/.exec(text)?.[0] ?? text
}
