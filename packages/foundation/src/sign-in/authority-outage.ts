/** Distinguishes an unavailable sign-in authority from an invalid token. */

const OUTAGES = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC']);

/** Whether verification failed because the authority's keys could not be fetched. The token may still be valid. */
export const isAuthorityOutage = (error: unknown): boolean => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return OUTAGES.has(code) || (error instanceof TypeError && error.message === 'fetch failed');
};
