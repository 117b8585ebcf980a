import type { ReactNode } from 'react'
import { Callout } from '#components/ui/callout.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { RefusalCallout } from '#components/ui/form/refusal-callout.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { RetryButton } from '#components/ui/shared/retry-button.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import type { WalletView } from '#lib/identity/users/list-wallets.ts'
import type { OwnAccountView, ProfileAnswer } from '#lib/people/own/get-profile.ts'
import type { RefusalWords } from '#lib/platform/labels/refusals.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import { verificationTurn } from '#lib/transactions/rules/circumstances.ts'
import { type CustomerWords, customerAccount } from '#lib/words/labels/customer-labels.ts'
import { countryName } from '#lib/words/labels/formats.ts'

/** The card shows the person's data at the service, and the state of their verification. */
export function ProfileCard({
  words,
  answer,
  refusal,
  wallets,
  start,
}: {
  readonly words: CustomerWords
  readonly answer: ProfileAnswer
  /** The refusal says why the service gave no profile. */
  readonly refusal: RefusalWords | null
  readonly wallets: readonly WalletView[]
  /** `start` is the way to go on with the verification, when it is the customer's turn. */
  readonly start: ReactNode
}) {
  const { profile } = answer
  const name = [profile?.firstName, profile?.lastName].filter(Boolean).join(' ')
  return (
    <Card title={words('account.profile')}>
      {answer.kind === 'sign-in-again' && (
        <Callout kind="warning" title={words('account.signInAgainTitle')} className="mb-3">
          {words('account.sessionEnded')}{' '}
          <a href="/sign-in?again=1&next=/account" className="underline">
            {words('account.signInAgain')}
          </a>
        </Callout>
      )}
      {refusal && (
        <RefusalCallout
          refusal={refusal}
          className="mb-3"
          actions={<RetryButton>{words('ui.error.retry')}</RetryButton>}
        >
          {profile && ` ${words('account.lastKnown')}`}
        </RefusalCallout>
      )}
      {profile && (
        <Facts>
          {profile.status && (
            <Fact name={words('account.verification')}>
              <Verification words={words} status={profile.status} start={start} />
            </Fact>
          )}
          {name && <Fact name={words('account.name')}>{name}</Fact>}
          {profile.email && (
            <Fact name={words('account.email')}>
              <Address email={profile.email} />
            </Fact>
          )}
          {profile.country && (
            <Fact name={words('account.country')}>{countryName(profile.country, words.language)}</Fact>
          )}
          <Fact name={words('account.wallet')}>
            {wallets.length === 0 && <span className="text-muted">{words('account.none')}</span>}
            {wallets.map((wallet) => (
              <span key={wallet.address} className="not-first:mt-1.5 flex flex-wrap items-center gap-x-1.5">
                <ShortId id={wallet.address} />
                <span className="text-muted text-xs">{sourcesOf(words, wallet).join(', ')}</span>
              </span>
            ))}
          </Fact>
          <Fact name={words('account.yourReference')}>
            <ShortId id={profile.userUuid} />
          </Fact>
        </Facts>
      )}
    </Card>
  )
}

/** A wallet is known from these sources. */
const sourcesOf = (words: CustomerWords, { signsIn, created, used }: WalletView): string[] => [
  ...(signsIn ? [words('account.walletSignsIn')] : []),
  ...(created ? [words('account.walletCreated')] : []),
  ...(used ? [words('account.walletUsed')] : []),
]

/** An address that is too long for one line breaks after the @, without an added hyphen. */
function Address({ email }: { readonly email: string }) {
  const at = email.indexOf('@') + 1
  return (
    <span className="hyphens-manual">
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </span>
  )
}

function Verification({
  words,
  status,
  start,
}: {
  readonly words: CustomerWords
  readonly status: string
  readonly start: ReactNode
}) {
  const { label, tone, yourTurn } = verificationLabel(words, status)
  return (
    <>
      <Pill tone={tone}>{label}</Pill>
      {yourTurn && (
        <div className="mt-2 grid justify-items-start gap-2 text-muted text-sm">
          <p>{words('verification.yourTurn')}</p>
          {start}
        </div>
      )}
    </>
  )
}

/**
 * ASSUMED: the user's status has these public values. The set is open: an unknown value may say what customers must
 * not read.
 */
const tones = {
  CREATED: 'wait',
  PHONE_VERIFICATION_NEEDED: 'held',
  KYC_NEEDED: 'held',
  PENDING_KYC_DATA: 'held',
  KYC_PENDING: 'move',
  FULL_USER: 'done',
  SOFT_KYC_FAILED: 'fail',
  HARD_KYC_FAILED: 'fail',
  SUSPENDED: 'fail',
  unnamed: 'wait',
} as const satisfies Record<string, Tone>

/** The user's status gives the verification state. */
function verificationLabel(words: CustomerWords, status: string) {
  const known = isKnown(status) ? status : 'unnamed'
  const yourTurn = known !== 'unnamed' && verificationTurn([known]) === 'customer'
  return { label: words(`verification.${known}`), tone: tones[known], yourTurn }
}

const isKnown = (status: string): status is keyof typeof tones => Object.hasOwn(tones, status)

/** A person's own accounts show what to pay into when they are active, or else their status. */
export const OwnAccounts = ({
  words,
  accounts,
}: {
  readonly words: CustomerWords
  readonly accounts: readonly OwnAccountView[]
}) => (
  <Card title={words('account.accounts')}>
    {accounts.length > 0 ? (
      <ul className="grid gap-4">
        {accounts.map((account) => (
          <Row key={account.uuid} words={words} account={account} />
        ))}
      </ul>
    ) : (
      <p className="text-muted text-table">{words('account.noAccountsYet')}</p>
    )}
  </Card>
)

interface OwnAccountProps {
  readonly words: CustomerWords
  readonly account: OwnAccountView
}

function Row({ words, account }: OwnAccountProps) {
  const { status, currency } = account
  const { label, meaning, tone } = customerAccount(words, status)
  return (
    <li className="grid gap-2 border-b pb-4 last:border-b-0 last:pb-0">
      <p className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-strong">{currency ?? words('account.account')}</span>
        <Pill tone={tone}>{label}</Pill>
      </p>
      {status === 'ACTIVE' ? (
        <Numbers words={words} account={account} />
      ) : (
        <p className="text-muted text-sm">{meaning}</p>
      )}
    </li>
  )
}

function Numbers({ words, account }: OwnAccountProps) {
  const { iban, accountNumber, sortCode, bic, swiftCode, bankName, bankCode, bankCountry } = account
  return (
    <Facts>
      {iban && (
        <Fact name={words('account.iban')}>
          <OwnNumber words={words} number={iban} />
        </Fact>
      )}
      {accountNumber && (
        <Fact name={words('account.accountNumber')}>
          <OwnNumber words={words} number={accountNumber} />
        </Fact>
      )}
      {sortCode && <Fact name={words('account.sortCode')}>{sortCode}</Fact>}
      {bic && <Fact name={words('account.bic')}>{bic}</Fact>}
      {swiftCode && <Fact name={words('account.swiftCode')}>{swiftCode}</Fact>}
      {bankName && <Fact name={words('account.bank')}>{bankName}</Fact>}
      {bankCode && <Fact name={words('account.bankCode')}>{bankCode}</Fact>}
      {bankCountry && <Fact name={words('account.country')}>{countryName(bankCountry, words.language)}</Fact>}
    </Facts>
  )
}

/** The number has groups of four, as on paper, below its name. It is copied without the gaps. */
function OwnNumber({ words, number }: { readonly words: CustomerWords; readonly number: string }) {
  const compact = number.replaceAll(' ', '')
  const groups = compact.match(/.{1,4}/gu) ?? []
  return (
    <span className="mono" data-wide="">
      {groups.slice(0, -2).map((group) => `${group} `)}
      <span className="whitespace-nowrap">
        {groups.slice(-2).join(' ')}
        {!number.includes('•') && <CopyButton text={compact} label={words('account.copyAccountNumber')} />}
      </span>
    </span>
  )
}
