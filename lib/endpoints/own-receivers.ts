import 'server-only'

/**
 * The receivers of the endpoint `$1`, for statements: those made for it, and the one that it was last seen to deliver to.
 * The row of that one does not name it while the answer to its creation is lost, and this database may have no row of it.
 */
export const ownReceivers = `own AS (
    SELECT id AS receiver_id FROM receiver WHERE endpoint_uuid = $1::uuid
    UNION SELECT receiver_id FROM watched_endpoint WHERE endpoint_uuid = $1::uuid
  )`
