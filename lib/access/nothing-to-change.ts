import 'server-only'

/** `Refused` says this where a form was sent as it had been shown: nobody is told of a change that is none. */
export const nothingToChange = {
  title: 'Nothing to change.',
  next: 'Everything is as it was. Change something first, or close the form.',
}
