/** Header names: hop-by-hop headers, and headers reserved for the edge. */

/** Hop-by-hop headers. Set again where needed. */
export const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
]);
export const FRAMING = new Set(['content-length', 'transfer-encoding']);
/** Headers that only the edge may set: a service may trust them, so a client's values would be spoofed. */
export const EDGE_SAYS = /^(?:x-(?:forwarded|slipway)(?:-.*)?|forwarded|x-real-ip|x-original-(?:url|host)|x-rewrite-url)$/;
/**
 * Headers by which the edge finds the service, authenticates the caller and frames the body, and those that caches rely on (RFC 9110,
 * 7.6.1).
 */
const EDGE_GOES_BY = new Set([...FRAMING, 'host', 'authorization', 'cookie', 'set-cookie', 'expect', 'cache-control']);

/** Lowercases a name and replaces `_` with `-`, which many servers (CGI, WSGI) do not distinguish. */
export const plainName = (name: string): string => {
  const lower = name.toLowerCase();
  return lower.includes('_') ? lower.replaceAll('_', '-') : lower;
};

/** Returns whether only the edge may set or remove this header. */
export const isEdgeConcern = (name: string): boolean => {
  const plain = plainName(name);
  return EDGE_GOES_BY.has(plain) || EDGE_SAYS.test(plain);
};

/** Returns the members of a list header in lower case, or undefined for the usual `Connection` values. */
export function listOf(value: string | undefined): string[] | undefined {
  if (value === undefined || /^(?:keep-alive|close|upgrade)$/i.test(value)) return undefined;
  return value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
}
