import { UseCaseRefusal } from '#lib/platform/refusals.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'

/** `.catch` takes this: a refusal becomes its English words; any other error stays as it is. */
export function englishOf(error: unknown): { readonly title: string; readonly next: string } {
  if (error instanceof UseCaseRefusal) return wordRefusal('en', error)
  throw error
}
