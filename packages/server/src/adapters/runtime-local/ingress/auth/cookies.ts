/**
 * Cookies at the edge. A browser keeps them by host name, and knows neither ports nor services: so the platform's own go to no service,
 * and a service sets them for its own host name alone, not for a parent that others are below, too.
 */

/** As the platform names its own (embedded-identity.ts), with the prefixes that browsers know. */
const PLATFORM = /^(?:__host-|__secure-)?slipway_/i;
const DOMAIN = /^domain$/i;

/** A `Cookie` header without the platform's cookies; undefined when nothing is left. */
export function passingCookies(header: string): string | undefined {
  if (!/slipway_/i.test(header)) return header;
  const left = header.split(';').filter((pair) => !PLATFORM.test(pair.trim().replace(/^=\s*/, '')));
  const text = left.join(';').trim();
  return text === '' ? undefined : text;
}

/** Whether a `Set-Cookie` header of the service that was called by `hostname` may reach the browser. In doubt not: browsers read it in their ways. */
export function passesSetCookie(header: string, hostname: string): boolean {
  const [pair = '', ...parts] = header.split(';');
  const attributes = parts.map((part) => splitPair(part));
  const [name, value] = splitPair(pair);
  if (name === '' && value === '') return false;
  // Sent back it is the value alone, which reads as name and value.
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

/** What `__Host-` and `__Secure-` promise (RFC 6265bis, 4.1.3), for browsers that do not look. */
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

/** Browsers clear cookies of the whole registrable domain, which a service shares with others; the rest is its own. */
export function withoutClearedCookies(header: string): string | undefined {
  const kinds = header.split(',').map((kind) => kind.trim());
  if (kinds.some((kind) => kind === '"*"')) return '"cache", "storage", "executionContexts"';
  const left = kinds.filter((kind) => !/^"?(?:cookies|clienthints)"?$/i.test(kind));
  return left.length === 0 ? undefined : left.join(', ');
}
