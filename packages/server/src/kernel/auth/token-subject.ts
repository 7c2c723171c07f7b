/** Whom a verified token names. */
import type { JWTPayload } from 'jose';

/** Entra ID names a person by tenant and object; other authorities by the subject. */
export const subjectOf = (claims: JWTPayload): string | undefined => {
  const { oid, tid, sub } = claims as { oid?: string; tid?: string; sub?: string };
  return oid && tid ? `${tid}/${oid}` : sub;
};
