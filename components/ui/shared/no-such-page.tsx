import type { Language } from '#lib/platform/rules/language.ts'
import { buttonClass } from '../button-class.ts'
import type { NoSuchPageWords } from './no-such-page-words.ts'
import { StandalonePage } from './standalone-page.tsx'

/** In place of a page that there is not. Staff are told of a way by ids, which is not for customers. */
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
        // No link of Next's, whose scripts every page would have for this one.
        <a href="/" className={buttonClass({ variant: 'primary' })}>
          {toFirstPage}
        </a>
      }
    >
      {next}
      {isStaff && (
        <>
          {' '}
          To open a transaction by any of its ids, put the id behind{' '}
          <span className="mono text-text">/go#</span>.
        </>
      )}
    </StandalonePage>
  )
}
