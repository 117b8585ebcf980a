import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

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
