/** Tells a sign-in authority that cannot be asked from a token that is bad. */

const OUTAGES = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC']);

/** Whether verifying failed because the authority's keys could not be read: the token may well be good. */
export const isAuthorityOutage = (error: unknown): boolean => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return OUTAGES.has(code) || (error instanceof TypeError && error.message === 'fetch failed');
};
