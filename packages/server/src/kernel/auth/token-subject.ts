/** Whom a verified token names. */
import type { JWTPayload } from 'jose';
import { textAt } from '../text-at.ts';

/** Entra ID names a person by tenant and object; other authorities by the subject. */
export const subjectOf = (claims: JWTPayload): string | undefined => {
  const [oid, tid] = [textAt(claims, 'oid'), textAt(claims, 'tid')];
  return oid && tid ? `${tid}/${oid}` : textAt(claims, 'sub');
};
