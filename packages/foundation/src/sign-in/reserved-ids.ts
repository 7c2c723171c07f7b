/** Identity ids that belong to the platform. Users of an external provider never get one, whatever their subject is. */

/** Identity of SLIPWAY_ADMIN_TOKEN. */
export const adminIdentityId = 'platform-automation';
/** First administrator when people sign in with passwords. */
export const firstAdministratorId = 'admin';

const reserved = new Set([adminIdentityId, firstAdministratorId]);
/** Service account ids are `sa_` and a random part. */
export const isReservedId = (id: string): boolean => reserved.has(id.toLowerCase()) || /^sa[_-]/i.test(id);
