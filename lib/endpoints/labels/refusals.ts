import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff meet these refusals, so they are in English. */
export const endpointsRefusals = {
  'form-sent-before': {
    title: 'This form was sent before.',
    next: 'Look at the list of endpoints; to make another one, open the form again.',
  },
  'endpoint-busy': {
    title: 'This endpoint is being changed right now.',
    next: 'Nothing was changed by you. Wait a few seconds, reload the page and look again.',
  },
  'gap-not-open': {
    title: 'These missed deliveries are not open.',
    next: 'Nothing was changed. Somebody else closed them, or they joined an earlier period. Reload the page.',
  },
  'gap-not-closed': {
    title: 'These missed deliveries are not closed.',
    next: 'Nothing was changed. Reload the page to see the present state.',
  },
  'gap-unknown': {
    title: 'There are no such missed deliveries.',
    next: 'Nothing was exported. They may have joined an earlier period. Reload the page.',
  },
  'endpoint-elsewhere': {
    title: 'This endpoint delivers elsewhere.',
    next: 'Nothing was changed. To have it deliver here, change its address to “this dashboard”.',
  },
  'endpoint-gone': {
    title: 'The provider does not know this endpoint any more.',
    next: 'Nothing was changed. Look at the list of endpoints.',
  },
  'endpoint-here': {
    title: 'This endpoint delivers to this dashboard.',
    next: 'Nothing was changed. Rotate its secret: the dashboard takes the new one over without a gap.',
  },
  'replacement-begun': {
    title: 'This endpoint is being replaced already.',
    next: 'Nothing was changed. Open its replacement to continue, or delete that to start again.',
  },
  'no-replacement': {
    title: 'This endpoint replaces no other.',
    next: 'Nothing was changed. Its replacement may have been finished already: look at the list of endpoints.',
  },
  'secret-never-shown': {
    title: 'Nobody has seen the secret of this endpoint.',
    next: 'Nothing was changed. Rotate its secret, deploy the one that is shown, and confirm then.',
  },
  'replay-empty': {
    title: 'No stored delivery matches.',
    next: 'Nothing was sent. Widen what you chose; bodies that retention has dropped cannot be sent again.',
  },
  'replay-too-large': {
    title: 'More than {most} deliveries match.',
    next: 'Nothing was sent. Choose a shorter time, one type or one endpoint, and send in parts.',
  },
  'month-unread': {
    title: '{month} was attached to the log again.',
    next: 'Nothing was sent. It is read for people who were erased meanwhile: try again in some minutes.',
  },
  'replays-running': {
    title: '{running} replays are running already.',
    next: 'Nothing was sent. Wait until one is done, or stop one.',
  },
  'replay-not-resumable': {
    title: 'This replay cannot be resumed.',
    next: 'It is running already, done, or stopped for more than {days} days. Reload the page to see its status.',
  },
  'replay-not-running': {
    title: 'This replay is not running.',
    next: 'Reload the page to see its status.',
  },
  'no-secret-to-confirm': {
    title: 'There is no secret to confirm.',
    next: 'Reload the page to see the status of its secret.',
  },
  'share-tokens-off': {
    title: 'Share tokens are switched off.',
    next: 'The provider was not asked. Switch them on under Settings first.',
  },
  'replay-unknown': { title: 'There is no such replay.', next: 'Nothing was exported. Reload the page.' },
  'key-not-tried': {
    title: 'The provider did not answer, so the key was not tried.',
    next: 'Nothing was changed. Try again, or have it taken over unseen: npm run rampart service-key.',
  },
} as const satisfies Record<string, RefusalWords>
