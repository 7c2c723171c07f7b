/**
 * Cookies at the edge. Browsers store cookies by host name, regardless of ports and services. So services never receive the platform's
 * cookies, and a service sets cookies only for its own host name, not for a parent domain that other services share.
 */

/** Names of the platform's cookies (embedded-identity.ts), with optional browser prefixes. */
const PLATFORM = /^(?:__host-|__secure-)?slipway_/i;
const DOMAIN = /^domain$/i;

/** Returns a `Cookie` header without the platform's cookies, or undefined if none is left. */
export function passingCookies(header: string): string | undefined {
  if (!/slipway_/i.test(header)) return header;
  const left = header.split(';').filter((pair) => !PLATFORM.test(pair.trim().replace(/^=\s*/, '')));
  const text = left.join(';').trim();
  return text === '' ? undefined : text;
}

/**
 * Returns whether a service's `Set-Cookie` header may reach the browser. Rejects ambiguous headers, since browsers differ in parsing them.
 */
export function passesSetCookie(header: string, hostname: string): boolean {
  const [pair = '', ...parts] = header.split(';');
  const attributes = parts.map((part) => splitPair(part));
  const [name, value] = splitPair(pair);
  if (name === '' && value === '') return false;
  // A nameless cookie is sent back as its value alone, which parses as name and value.
  const readName = name === '' ? value : name;
  if (PLATFORM.test(readName)) return false;
  const domains = attributes.filter(([attribute]) => DOMAIN.test(attribute)).map(([, domain]) => domain);
  if (
    domains.some(
      (domain) =>
        domain !== '' &&
        domain
          .replace(/^"(.*)"$/, '$1')
          .replace(/^\./, '')
          .toLowerCase() !== hostname,
    )
  )
    return false;
  return keepsPrefix(readName.toLowerCase(), attributes, domains.length > 0);
}

/** Enforces the `__Host-` and `__Secure-` rules (RFC 6265bis, 4.1.3) for browsers that don't. */
function keepsPrefix(name: string, attributes: readonly (readonly [string, string])[], hasDomain: boolean): boolean {
  if (!name.startsWith('__host-') && !name.startsWith('__secure-')) return true;
  const isSecure = attributes.some(([attribute]) => attribute.toLowerCase() === 'secure');
  if (name.startsWith('__secure-')) return isSecure;
  const paths = attributes.filter(([attribute]) => attribute.toLowerCase() === 'path').map(([, path]) => path);
  return isSecure && !hasDomain && paths.length > 0 && paths.every((path) => path === '/');
}

const splitPair = (text: string): readonly [string, string] => {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
};

/** Removes cookies from `Clear-Site-Data`: browsers clear them for the whole registrable domain, which services share. */
export function withoutClearedCookies(header: string): string | undefined {
  const kinds = header.split(',').map((kind) => kind.trim());
  if (kinds.some((kind) => kind === '"*"')) return '"cache", "storage", "executionContexts"';
  const left = kinds.filter((kind) => !/^"?(?:cookies|clienthints)"?$/i.test(kind));
  return left.length === 0 ? undefined : left.join(', ');
}
