import 'server-only'

/** What `Refused` says where a form was changed by somebody else while it was open. */
export const changedMeanwhile = {
  title: 'Somebody else has changed this meanwhile.',
  next: 'Nothing was saved. Reload the page to see how it is now, and say again what you want to change.',
}
