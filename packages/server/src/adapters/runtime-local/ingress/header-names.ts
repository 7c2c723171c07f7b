/** Names of headers: which concern one connection, and which are the edge's own business. */

/** They concern one connection only, and are said anew where they are needed. */
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
/** Said by the edge alone; from a client they would be lies that a service may believe. */
export const EDGE_SAYS = /^(?:x-(?:forwarded|slipway)(?:-.*)?|forwarded|x-real-ip|x-original-(?:url|host)|x-rewrite-url)$/;
/** By these the edge finds the service, lets the caller in and takes the body; and caches may not be misled (RFC 9110, 7.6.1). */
const EDGE_GOES_BY = new Set([...FRAMING, 'host', 'authorization', 'cookie', 'set-cookie', 'expect', 'cache-control']);

/** Many servers (CGI, WSGI) do not tell `_` from `-`. */
export const plainName = (name: string): string => {
  const lower = name.toLowerCase();
  return lower.includes('_') ? lower.replaceAll('_', '-') : lower;
};

/** Whether nobody but the edge may say or take off this header. In lower case. */
export const isEdgeConcern = (name: string): boolean => {
  const plain = plainName(name);
  return EDGE_GOES_BY.has(plain) || EDGE_SAYS.test(plain);
};

/** The members of a header that is a list, in lower case; nothing for those that `Connection` mostly is. */
export function listOf(value: string | undefined): string[] | undefined {
  if (value === undefined || /^(?:keep-alive|close|upgrade)$/i.test(value)) return undefined;
  return value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
}
