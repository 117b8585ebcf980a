/** A merchant may change these sentences. They tell customers in English what happens to them. */
export const englishSentences = {
  steps: {
    fiatToCrypto: {
      PENDING: {
        label: 'Created',
        meaning: 'Created; we’ll process it next.',
        headline: '{given} to {got}: created',
      },
      IN_PROGRESS: {
        label: 'Payment received',
        meaning: 'Payment received; processing.',
        headline: '{given} to {got}: payment received',
      },
      CRYPTO_TRANSFER_ISSUED: {
        label: 'On its way',
        meaning: 'Your stablecoin was sent to the network.',
        headline: '{given} to {got}: on its way',
      },
      SUCCESS: {
        label: 'Completed',
        meaning: 'Completed.',
        headline: '{given} to {got}: completed',
      },
      ON_HOLD: {
        label: 'Paused',
        meaning: 'This is paused. Your account shows when it continues.',
        headline: '{given} to {got}: paused',
      },
      FAILED: {
        label: 'Not completed',
        meaning: 'This could not be completed. We will help you from here.',
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
        meaning: 'Created; we’ll process it next.',
        headline: '{given} to {got}: created',
      },
      IN_PROGRESS: {
        label: 'Stablecoin received',
        meaning: 'Stablecoin received; processing.',
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
        meaning: 'This is paused. Your account shows when it continues.',
        headline: '{given} to {got}: paused',
      },
      FAILED: {
        label: 'Not completed',
        meaning: 'This could not be completed. We will help you from here.',
        headline: '{given} to {got}: not completed',
      },
      LIMIT_BREACHED: {
        label: 'Below the minimum',
        meaning: 'What you sent is below the minimum for this chain. We will help you from here.',
        headline: '{given} to {got}: below the minimum',
      },
      REFUNDED: {
        label: 'Refunded',
        meaning: 'What you sent was refunded to you.',
        headline: '{given} to {got}: refunded',
      },
    },
    refundedInPart: {
      fiatToCrypto: 'A part of your money was refunded to you.',
      cryptoToFiat: 'A part of what you sent was refunded to you.',
    },
    verificationHold: 'This is paused until your verification is complete.',
    became: 'You exchanged {given} for {got}',
    becameIn: 'You exchanged {given} for {got} · took {duration}',
    late: {
      meaning: 'This is taking longer than usual.',
      headline: '{given} to {got}: taking longer than usual',
    },
    unsettled: {
      label: 'Being clarified',
      meaning: 'We are checking how this transaction ended, and will tell you.',
      headline: '{given} to {got}: being clarified',
    },
    unnamed: {
      label: 'In progress',
      meaning: 'We are working on it.',
      headline: '{given} to {got}: in progress',
    },
  },
  accountStates: {
    ACTIVE: { label: 'Active', meaning: 'You can pay into this account.' },
    WAITING_CREATION: {
      label: 'Being created',
      meaning: 'This account is being created. Its number will appear under “My account”.',
    },
    FAILED_CREATION: {
      label: 'Not created',
      meaning: 'This account could not be created. We will help you from here.',
    },
    DISABLED: { label: 'Disabled', meaning: 'This account is disabled. Please do not pay into it.' },
    unnamed: { label: 'Ask support', meaning: 'Please ask us about its status.' },
  },
  /** Staff tell customers these sentences, which no other page shows to customers. */
  told: {
    KYC: {
      CREATED: 'Your verification has not begun. Please begin it.',
      PHONE_VERIFICATION_NEEDED: 'Please verify your phone number.',
      KYC_NEEDED: 'Please verify your identity.',
      PENDING_KYC_DATA: 'Your verification waits for data from you.',
      KYC_PENDING: 'Your verification is under way.',
      FULL_USER: 'You are verified.',
      SOFT_KYC_FAILED: 'Your verification did not succeed. Please try again.',
      HARD_KYC_FAILED: 'Your verification did not succeed. We ask what can be done.',
      SUSPENDED: 'Your account is suspended. We ask what can be done.',
    },
    KYB: {
      KYB_PENDING: 'The verification of your company is under way.',
      KYB_PASSED: 'Your company is verified.',
      KYB_FAILED: 'The verification of your company did not succeed. We ask what can be done.',
    },
    linkBankAccount: {
      ACTIVE: 'Your bank account is linked.',
      CHECK_COMPLETED: 'Your bank account was checked, and is linked next.',
      PENDING: 'Your bank account is not linked yet. Please finish linking it.',
      FAILED: 'Your bank account could not be linked. We ask what can be done.',
      DISABLED: 'Your linked bank account is disabled. We ask why.',
    },
    linkedBankAccountProfile: {
      ACTIVE: 'You can link bank accounts.',
      WAITING_CREATION: 'You can link bank accounts soon.',
      FAILED_CREATION: 'Bank accounts cannot be linked yet. We ask what can be done.',
      DISABLED: 'Bank accounts cannot be linked now. We ask why.',
    },
    otpNotification: {
      EMAIL_DELIVERY_FAILED:
        'The e-mail with your code came back. Please check the address, or sign in by wallet.',
    },
  },
  /** A reply consists of these texts and the sentences of a step. */
  reply: {
    about: 'About your transaction: {given} to {got}.',
    nothingToDo: 'You do not need to do anything.',
    verify: 'Please verify your identity. If you do not know how, ask us.',
    verifyAt: 'Please verify your identity here: {link}',
    late: 'You do not need to do anything: we are asking the payment provider.',
    weAsk: 'We are finding out whether your money comes back to you, and will tell you.',
  },
} as const
