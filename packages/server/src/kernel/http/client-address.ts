/**
 * Determines the client address for rate limits. Behind a reverse proxy, every connection has the proxy's address. X-Forwarded-For is
 * trusted only from proxies that the operator configured.
 */
import net, { BlockList } from 'node:net';
import type { IncomingMessage } from 'node:http';

export interface ClientAddresses {
  isProxy(address: string | undefined): boolean;
  /** Returns the key to count the request by. */
  of(request: IncomingMessage): string;
}

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/**
 * Returns the key for an address. A client with an IPv6 address usually has the whole /64 network, so counting single addresses would be
 * useless.
 */
export const countedAs = (given: string): string => {
  const address = plain(given);
  if (!net.isIPv6(address)) return address;
  const [left = '', right] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = right === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(Math.max(0, zeros)).fill('0'), ...tail]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};

/** `10.0.0.1` or `10.0.0.0/8`; throws for anything else. */
const trust = (list: BlockList, entry: string): void => {
  const [address = '', bits] = entry.split('/');
  const family = net.isIPv6(address) ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
};

export const clientAddresses = (proxies: readonly string[] = []): ClientAddresses => {
  const list = new BlockList();
  for (const entry of proxies) trust(list, entry);
  const isProxy = (address = ''): boolean => {
    const one = plain(address);
    return net.isIP(one) !== 0 && list.check(one, net.isIPv6(one) ? 'ipv6' : 'ipv4');
  };
  return {
    isProxy,
    of(request) {
      const peer = request.socket.remoteAddress ?? '';
      if (!isProxy(peer)) return countedAs(peer);
      // Read from the right: entries further left may be forged by the client.
      const said = String(request.headers['x-forwarded-for'] ?? '').split(',');
      const client = said.map((part) => part.trim()).findLast((part) => net.isIP(plain(part)) !== 0 && !isProxy(part));
      return countedAs(client ?? peer);
    },
  };
};
