/**
 * Rules for outgoing connections. A network policy knows only addresses, so host names are resolved when the policy is applied. The
 * wildcard `*` means everything outside private networks. Patterns such as `*.example.com` cannot be expressed.
 */
import { isIP } from 'node:net';
import type { V1NetworkPolicyEgressRule } from '@kubernetes/client-node';
import { isInside } from '#kernel/outgoing/inside-addresses.ts';
import { PortFailure } from '#ports/failure.ts';
import type { RevisionSpec } from '#ports/runtime.ts';

/** Resolves a host name to its IPv4 and IPv6 addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const PRIVATE_4 = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '127.0.0.0/8'];
const PRIVATE_6 = ['fc00::/7', 'fe80::/10', '::1/128'];
const everywhere: V1NetworkPolicyEgressRule = {
  to: [{ ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE_4 } }, { ipBlock: { cidr: '::/0', except: PRIVATE_6 } }],
};

const cidrOf = (address: string): string => `${address}/${isIP(address) === 6 ? 128 : 32}`;

/** Ports of a target that names none. */
const WEB = [80, 443];

interface Target {
  readonly host: string;
  readonly ports: readonly number[];
}
const splitTarget = (target: string): Target => {
  const [, host = target, port] = /^(.*[^:]):(\d+)$/.exec(target) ?? [];
  return { host, ports: port === undefined ? WEB : [Number(port)] };
};

/** Returns no address for a name that a team wrote and nobody knows. */
const resolved = async (host: string, resolve: Resolve): Promise<readonly string[]> =>
  isIP(host) === 0 ? resolve(host).catch(() => []) : [host];

/**
 * Returns the addresses of an engine's server. Throws PortFailure if its name does not resolve: without the rule, running instances would
 * lose their database, and nothing would try again.
 */
const engineAddresses = async (host: string, resolve: Resolve): Promise<readonly string[]> => {
  const addresses = await (isIP(host) === 0 ? resolve(host).catch(() => []) : [host]);
  if (addresses.length === 0) throw new PortFailure('unavailable', `The name ${host} does not resolve.`);
  return addresses;
};

const ruleOf = (addresses: readonly string[], ports: readonly number[]): V1NetworkPolicyEgressRule[] =>
  addresses.length === 0
    ? []
    : [
        {
          to: addresses.toSorted().map((address) => ({ ipBlock: { cidr: cidrOf(address) } })),
          ports: ports.map((port) => ({ protocol: 'TCP', port })),
        },
      ];

/** Returns the rule for a target that a team named. Its name may lead inside only if an administrator has listed it for the port. */
const targetRule = async ({ host, ports }: Target, inside: readonly Target[], resolve: Resolve): Promise<V1NetworkPolicyEgressRule[]> => {
  const addresses = await resolved(host, resolve);
  const isListed = (port: number): boolean => inside.some((one) => one.host === host && one.ports.includes(port));
  const outside = addresses.filter((address) => !isInside(address));
  const listed = ports.filter(isListed);
  return listed.length === ports.length
    ? ruleOf(addresses, ports)
    : [...ruleOf(outside, ports), ...(outside.length < addresses.length && listed.length > 0 ? ruleOf(addresses, listed) : [])];
};

export interface EgressOptions {
  readonly resolve: Resolve;
  /** Hosts of private networks that teams may list: `host` or `host:port`. */
  readonly inside: readonly string[];
}
type Reached = Pick<RevisionSpec, 'egress' | 'databases' | 'brokers'>;

/**
 * Returns the rules for a revision's targets. Leaves out targets that no policy can express, and names of teams that do not resolve. Throws
 * PortFailure if the server of a database or broker does not resolve.
 */
export async function egressRules(
  { egress = [], databases = [], brokers = [] }: Reached,
  { inside, resolve }: EgressOptions,
): Promise<V1NetworkPolicyEgressRule[]> {
  const allowed = inside.map(splitTarget);
  const rules: V1NetworkPolicyEgressRule[] = [];
  for (const target of egress) {
    if (target === '*') rules.push(everywhere);
    else if (!target.startsWith('*')) rules.push(...(await targetRule(splitTarget(target), allowed, resolve)));
  }
  for (const { host, port } of [...databases, ...brokers]) rules.push(...ruleOf(await engineAddresses(host, resolve), [port]));
  return rules;
}
