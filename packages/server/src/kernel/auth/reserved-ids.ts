/** Ids of identities that are the platform's own: nobody who comes from an outside provider gets one, whatever his subject is. */

/** The identity that SLIPWAY_ADMIN_TOKEN stands for. */
export const adminIdentityId = 'platform-automation';
/** The first administrator where people sign in with passwords. */
export const firstAdministratorId = 'admin';

const reserved = new Set([adminIdentityId, firstAdministratorId]);
/** Service accounts are `sa_` and a random part. */
export const isReservedId = (id: string): boolean => reserved.has(id.toLowerCase()) || /^sa[_-]/i.test(id);
