/** Reads the subject of a verified token. */
import type { JWTPayload } from 'jose';
import { textAt } from '../text-at.ts';

/** Entra ID identifies a person by tenant and object id; other authorities use the subject. */
export const subjectOf = (claims: JWTPayload): string | undefined => {
  const [oid, tid] = [textAt(claims, 'oid'), textAt(claims, 'tid')];
  return oid && tid ? `${tid}/${oid}` : textAt(claims, 'sub');
};
