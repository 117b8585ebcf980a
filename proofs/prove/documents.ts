import { passedResult, type Result, skippedResult } from '../../bin/check/result.ts'
import { openDocumentsStage } from '../documents/stage.ts'
import { walkPages } from '../documents/walk.ts'
import { CannotRunHere } from './faults/test-bed.ts'

export const when =
  'a page of docs whose commands are run, or what they name, changed; `npm test` runs it with the packages and the build that are there'

/**
 * The proof does what the pages for operators say, in a folder that stands for a machine. It clones, installs and builds as
 * they say; so it needs the network and a quarter of an hour, and sees what was committed.
 * @param words `short` takes what this tree has installed and built, as `npm test` does
 */
export default async function proveDocuments(words: string[]): Promise<Result> {
  const short = words.includes('short')
  const stage = await openDocumentsStage(short ? process.cwd() : null).catch((error: unknown) => {
    if (error instanceof CannotRunHere) return error
    throw error
  })
  if (stage instanceof CannotRunHere) return skippedResult(`documents (${stage.message})`)
  try {
    const count = await walkPages(stage, short ? ['test'] : ['test', 'proof'], console.log)
    console.log(`${count} blocks were run`)
    return passedResult
  } finally {
    await stage.close()
  }
}
