import { type Block, type BlockRunner, pageFile, readPageParts, walkedPages } from './pages.ts'
import { actOn } from './people.ts'
import type { DocumentsStage } from './stage.ts'

/**
 * One installation goes through all pages, and runs their blocks one after the other.
 * @param runners whose blocks are run
 * @param say gets each block's place and seconds
 * @returns how many blocks were run. All faults are thrown together at the end.
 */
export async function walkPages(
  stage: DocumentsStage,
  runners: readonly BlockRunner[],
  say: (line: string) => void = () => undefined,
): Promise<number> {
  let count = 0
  const faults: string[] = []
  for (const page of walkedPages) {
    let heading = ''
    for (const part of readPageParts(pageFile(page))) {
      if (part.kind === 'heading') {
        await actOn(`${page}: ${heading}`, stage)
        heading = part.title
      } else if (runners.includes(part.runner)) {
        const place = `${pageFile(page)}:${part.line}`
        const from = performance.now()
        await runBlock(stage, place, part).catch((error: unknown) => {
          faults.push(error instanceof Error ? error.message : String(error))
        })
        say(`${place}: ${((performance.now() - from) / 1_000).toFixed(1)} s`)
        count++
      }
    }
    await actOn(`${page}: ${heading}`, stage)
  }
  if (faults.length > 0) throw new Error(faults.join('\n\n'))
  return count
}

async function runBlock({ shell, translate }: DocumentsStage, place: string, { commands, output }: Block) {
  const translated = translate(commands)
  const left = /\S*example\.(com|net)\S*|10\.0\.0\.\d+/.exec(translated.replaceAll(/^ *#.*|'s\/.*/gm, ''))
  if (left) throw new Error(`${place}: ${left[0]} has nothing in its place on this machine`)
  const printed = await shell.run(translated, place)
  if (output !== null && !patternOf(translate(output)).test(printed))
    throw new Error(`${place} says that this is printed:\n${output}\nand this was printed:\n${printed}`)
}

/** `…` matches any text within a line. */
const patternOf = (output: string) => new RegExp(`^${output.split('…').map(RegExp.escape).join('.*')}$`, 'm')
