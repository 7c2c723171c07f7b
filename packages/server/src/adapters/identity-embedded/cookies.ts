// Names and reach of the sign-in's cookies, and how one is read.
import type { IncomingMessage } from 'node:http';

export interface CookieShape {
  readonly name: string;
  readonly path: string;
  readonly isSecure: boolean;
}

/**
 * Over TLS `__Host-` keeps programs on neighbouring names from setting a cookie in our stead, and demands the path `/`. Without TLS
 * browsers refuse that prefix; the cookie goes to the sign-in's own addresses alone.
 */
export const cookieShape = (name: string, isSecure: boolean): CookieShape =>
  isSecure ? { name: `__Host-${name}`, path: '/', isSecure } : { name, path: '/oidc/', isSecure };

export const cookieOf = (request: IncomingMessage, name: string): string | undefined =>
  (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
