import { NoSuchPage } from '#components/no-such-page.tsx'
import { readLanguage } from '#lib/auth/read-language.ts'
import { findSession } from '#lib/auth/require-session.ts'
import { may } from '#lib/domain/access/roles.ts'
import { customerWords } from '#lib/words/customer-words.ts'

export default async function NotFoundPage() {
  const [language, caller] = await Promise.all([readLanguage(), findSession().catch(whoeverItIs)])
  const isStaff = caller !== null && may(caller.role, 'see-everything')
  return <NoSuchPage words={customerWords(language)} language={language} isStaff={isStaff} />
}

/** Without a database there is no session; that there is no such page is true all the same. */
const whoeverItIs = () => null
