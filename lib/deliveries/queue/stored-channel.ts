import 'server-only'

/** The channel on which projectors are woken: deliveries wait for them. */
export const storedChannel = 'delivery_stored'
