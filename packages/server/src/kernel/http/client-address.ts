/**
 * Who a request comes from, as far as limits by address go. Behind a reverse proxy every connection has the proxy's address: proxies that
 * the operator names are believed what they say in X-Forwarded-For, and nobody else is.
 */
import net, { BlockList } from 'node:net';
import type { IncomingMessage } from 'node:http';

export interface ClientAddresses {
  isProxy(address: string | undefined): boolean;
  /** A key to count by. */
  of(request: IncomingMessage): string;
}

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Somebody who has an IPv6 address usually has the whole /64 network, so that counting single addresses would count nothing. */
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
      // From the right: what stands further left may be the client's own invention.
      const said = String(request.headers['x-forwarded-for'] ?? '').split(',');
      const client = said.map((part) => part.trim()).findLast((part) => net.isIP(plain(part)) !== 0 && !isProxy(part));
      return countedAs(client ?? peer);
    },
  };
};
