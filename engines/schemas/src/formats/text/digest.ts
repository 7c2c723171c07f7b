/** Returns the fingerprint of a canonical text. */
import { hash } from 'node:crypto';

export const fingerprintOf = (canonical: string): string => hash('sha256', canonical, 'hex');
