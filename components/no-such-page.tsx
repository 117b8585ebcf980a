import type { Language } from '#lib/domain/text/language.ts'
import type { CustomerWords } from '#lib/labels/customer-labels.ts'
import { StandalonePage } from './standalone-page.tsx'
import { buttonClass } from './ui/button-class.ts'

/** In place of a page that there is not. Staff are told of a way by ids, which is not for customers. */
export function NoSuchPage({
  words,
  language,
  isStaff,
}: {
  readonly words: CustomerWords
  readonly language: Language
  readonly isStaff: boolean
}) {
  return (
    <StandalonePage
      language={language}
      title={words('account.noPage')}
      actions={
        // No link of Next's, whose scripts every page would have for this one.
        <a href="/" className={buttonClass({ variant: 'primary' })}>
          {words('account.toFirstPage')}
        </a>
      }
    >
      {words('account.noPageNext')}
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
