import 'server-only'

/** `Refused` says this when somebody else changed the form's data while it was open. */
export const changedMeanwhile = {
  title: 'Somebody else has changed this meanwhile.',
  next: 'Nothing was saved. Reload the page to see how it is now, and say again what you want to change.',
}

/** `Refused` says this when a form is sent unchanged: nobody is notified when nothing changes. */
export const nothingToChange = {
  title: 'Nothing to change.',
  next: 'Everything is as it was. Change something first, or close the form.',
}
