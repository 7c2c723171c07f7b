// Names and scope of the sign-in's cookies, and reading a cookie.
import type { IncomingMessage } from 'node:http';

export interface CookieShape {
  readonly name: string;
  readonly path: string;
  readonly isSecure: boolean;
}

/**
 * Over TLS, `__Host-` prevents programs on sibling host names from setting the cookie, and requires the path `/`. Without TLS browsers
 * reject that prefix, so the cookie is limited to the sign-in's own paths.
 */
export const cookieShape = (name: string, isSecure: boolean): CookieShape =>
  isSecure ? { name: `__Host-${name}`, path: '/', isSecure } : { name, path: '/oidc/', isSecure };

export const cookieOf = (request: IncomingMessage, name: string): string | undefined =>
  (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
