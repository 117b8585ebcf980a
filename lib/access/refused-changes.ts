import 'server-only'

/** What `Refused` says where a form was changed by somebody else while it was open. */
export const changedMeanwhile = {
  title: 'Somebody else has changed this meanwhile.',
  next: 'Nothing was saved. Reload the page to see how it is now, and say again what you want to change.',
}

/** `Refused` says this where a form was sent as it had been shown: nobody is told of a change that is none. */
export const nothingToChange = {
  title: 'Nothing to change.',
  next: 'Everything is as it was. Change something first, or close the form.',
}
