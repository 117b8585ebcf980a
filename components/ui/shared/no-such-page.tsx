import type { Language } from '#lib/platform/rules/language.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { buttonClass } from '../button.tsx'
import { StandalonePage } from './standalone-page.tsx'

/** The page does not exist. Staff also read about addresses with ids, which are not for customers. */
export function NoSuchPage({
  words: { title, next, toFirstPage },
  language,
  isStaff,
}: {
  readonly words: NoSuchPageWords
  readonly language: Language
  readonly isStaff: boolean
}) {
  return (
    <StandalonePage
      language={language}
      title={title}
      actions={
        // A link of Next would add its scripts to every page for this one.
        <a href="/" className={buttonClass({ variant: 'primary' })}>
          {toFirstPage}
        </a>
      }
    >
      {next}
      {isStaff && (
        <>
          {' '}
          To open a transaction, put one of its IDs after <span className="mono text-text">/go#</span>.
        </>
      )}
    </StandalonePage>
  )
}

export interface NoSuchPageWords {
  readonly title: string
  readonly next: string
  readonly toFirstPage: string
}

export const noSuchPageWords = (words: CustomerWords): NoSuchPageWords => ({
  title: words('account.noPage'),
  next: words('account.noPageNext'),
  toFirstPage: words('account.toFirstPage'),
})
