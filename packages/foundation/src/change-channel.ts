/** How a program announces changes through PostgreSQL (`listen`, `notify`), so that all replicas learn of them at once. */

/** Payloads are ChangeHints as JSON. */
export const CHANGE_CHANNEL = 'slipway_change';
/** Sent instead of a hint after a sign-out or token revocation, so that replicas check their listeners again. */
export const CREDENTIALS_CHANGED = '{"credentials":"changed"}';
