/**
 * Decides which user-supplied addresses the platform may call: none inside, except those that an administrator allows. Resolves the name
 * and checks every address. The connection then uses those addresses without resolving again.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { errorCode } from '#kernel/caught.ts';
import { isInside } from '#kernel/outgoing/inside-addresses.ts';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}
export type Resolve = (host: string) => Promise<readonly Address[]>;

export type RefusalReason = 'REFUSED_ADDRESS' | 'REFUSED_TARGET' | 'NAME_NOT_FOUND';
export class OutgoingRefused extends Error {
  override readonly name = 'OutgoingRefused';
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const familyOf = (address: string): 4 | 6 => (isIP(address) === 6 ? 6 : 4);
const kindOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Resolves names like the system, hosts file included. */
const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => ({ address, family: familyOf(address) }));

const LOWEST_FREE_PORT = 1024;
const isUsualPort = (port: number): boolean => port === 80 || port === 443 || port >= LOWEST_FREE_PORT;
const portOf = ({ protocol, port }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

interface Allowed {
  readonly networks: BlockList;
  /** `host` or `host:port`. */
  readonly hosts: ReadonlySet<string>;
}

const allowedOf = (entries: readonly string[]): Allowed => {
  const networks = new BlockList();
  const hosts = new Set<string>();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    if (isIP(address) === 0) hosts.add(entry.toLowerCase());
    else if (bits === undefined) networks.addAddress(address, kindOf(address));
    else networks.addSubnet(address, Number(bits), kindOf(address));
  }
  return { networks, hosts };
};

export class OutgoingPolicy {
  readonly #allowed: Allowed;
  readonly #resolve: Resolve;

  /** `allow`: addresses, networks such as `10.0.0.0/8`, hosts, or hosts with a port. */
  constructor(allow: readonly string[] = [], resolve: Resolve = resolveBySystem) {
    this.#allowed = allowedOf(allow);
    this.#resolve = resolve;
  }

  /** Returns the addresses that a connection to this URL may use. Throws OutgoingRefused. */
  async addresses(url: URL): Promise<readonly Address[]> {
    const host = bare(url.hostname);
    const port = portOf(url);
    if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '')
      throw new OutgoingRefused('REFUSED_TARGET', 'only http and https, without user name and password');
    if (this.#isNamed(host, port)) return this.#found(host);
    if (!isUsualPort(port)) throw new OutgoingRefused('REFUSED_TARGET', `port ${port} may not be called`);
    const found = await this.#found(host);
    // One inside address is enough to reject, because we don't choose which address a connection uses.
    if (!found.every(({ address }) => this.mayCall(address)))
      throw new OutgoingRefused('REFUSED_ADDRESS', `${host} leads to an inside address`);
    return found;
  }

  /** Checks the remote address of an open connection again. */
  mayConnect(url: URL, address: string): boolean {
    return this.#isNamed(bare(url.hostname), portOf(url)) || this.mayCall(address);
  }

  mayCall(address: string): boolean {
    return !isInside(address) || this.#allowed.networks.check(address, kindOf(address));
  }

  #isNamed(host: string, port: number): boolean {
    return this.#allowed.hosts.has(host) || this.#allowed.hosts.has(`${host}:${port}`);
  }

  async #found(host: string): Promise<readonly Address[]> {
    if (isIP(host) !== 0) return [{ address: host, family: familyOf(host) }];
    const found = await this.#resolve(host).catch((error: unknown) => {
      throw new OutgoingRefused('NAME_NOT_FOUND', `${host} cannot be resolved: ${errorCode(error) ?? 'unknown'}`);
    });
    if (found.length === 0) throw new OutgoingRefused('NAME_NOT_FOUND', `${host} has no address`);
    return found;
  }
}
