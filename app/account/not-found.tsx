import { SearchX } from 'lucide-react'
import { NotFound } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { readWords } from '../read-words.ts'

export default async function AccountNotFound() {
  const words = await readWords()
  return (
    <NotFound
      icon={SearchX}
      heading={words('account.notFound')}
      title={words('account.notFoundTitle')}
      action={<ButtonLink href="/account">{words('account.title')}</ButtonLink>}
    >
      {words('account.notFoundNext')}
    </NotFound>
  )
}
