/** What customers read in English of steps, holds and accounts: the sentences that a merchant may word. */
export const englishSentences = {
  steps: {
    fiatToCrypto: {
      PENDING: {
        label: 'Created',
        meaning: 'It was created, to be processed next.',
        headline: '{given} to {got}: created',
      },
      IN_PROGRESS: {
        label: 'Payment received',
        meaning: 'Your payment arrived, and processing began.',
        headline: '{given} to {got}: payment received',
      },
      CRYPTO_TRANSFER_ISSUED: {
        label: 'On its way',
        meaning: 'Your stablecoin was sent to the network.',
        headline: '{given} to {got}: on its way',
      },
      SUCCESS: {
        label: 'Completed',
        meaning: 'This is finished.',
        headline: '{given} to {got}: completed',
      },
      ON_HOLD: {
        label: 'Paused',
        meaning: 'This is paused. You will see here when it goes on.',
        headline: '{given} to {got}: paused',
      },
      FAILED: {
        label: 'Not completed',
        meaning: 'This could not be completed. Support can tell you what to do.',
        headline: '{given} to {got}: not completed',
      },
      REFUNDED: {
        label: 'Refunded',
        meaning: 'Your money was refunded to you.',
        headline: '{given} to {got}: refunded',
      },
    },
    cryptoToFiat: {
      PENDING: {
        label: 'Created',
        meaning: 'It was created, to be processed next.',
        headline: '{given} to {got}: created',
      },
      IN_PROGRESS: {
        label: 'Stablecoin received',
        meaning: 'Your stablecoin arrived, and processing began.',
        headline: '{given} to {got}: stablecoin received',
      },
      FIAT_TRANSFER_ISSUED: {
        label: 'On its way',
        meaning: 'The transfer to your bank account was initiated.',
        headline: '{given} to {got}: on its way',
      },
      SUCCESS: {
        label: 'Completed',
        meaning: 'The transfer to your bank account is complete.',
        headline: '{given} to {got}: completed',
      },
      ON_HOLD: {
        label: 'Paused',
        meaning: 'This is paused. You will see here when it goes on.',
        headline: '{given} to {got}: paused',
      },
      FAILED: {
        label: 'Not completed',
        meaning: 'This could not be completed. Support can tell you what to do.',
        headline: '{given} to {got}: not completed',
      },
      LIMIT_BREACHED: {
        label: 'Below the minimum',
        meaning: 'What you sent is below the minimum for this chain.',
        headline: '{given} to {got}: below the minimum',
      },
      REFUNDED: {
        label: 'Refunded',
        meaning: 'What you sent was refunded to you.',
        headline: '{given} to {got}: refunded',
      },
    },
    verificationHold: 'This is paused until your verification is complete.',
    became: '{given} became {got}',
    becameIn: '{given} became {got}, finished in {duration}',
    unnamed: {
      label: 'In progress',
      meaning: 'We are working on it.',
      headline: '{given} to {got}: in progress',
    },
  },
  accountStates: {
    ACTIVE: { label: 'Active', meaning: 'You can pay into it.' },
    WAITING_CREATION: { label: 'Being created', meaning: 'Its number will appear here.' },
    FAILED_CREATION: {
      label: 'Not created',
      meaning: 'It could not be created. Support can tell you what to do.',
    },
    DISABLED: { label: 'Disabled', meaning: 'It is disabled. Support can tell you why.' },
    unnamed: { label: 'Ask support', meaning: 'Support can tell you how it stands.' },
  },
} as const
