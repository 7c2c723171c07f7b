/** The person who starts the pipelines of fault suites: an owner of the team of `seedApp`. */
import type { Caller } from '#kernel/http/handle.ts';

export const createdBy = { id: 'olga', displayName: 'Olga Owner' };
export const caller: Caller = {
  ...createdBy,
  isAdministrator: false,
  memberOf: new Set(['cranes']),
  ownerOf: new Set(['cranes']),
  email: null,
  type: 'USER',
  provider: 'SLIPWAY',
  origin: 'console',
  scopes: new Set(),
  isAutomation: false,
};
