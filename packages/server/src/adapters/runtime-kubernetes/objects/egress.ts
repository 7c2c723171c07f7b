/**
 * Rules for outgoing connections. A network policy knows only addresses, so host names are resolved when the policy is applied. The
 * wildcard `*` means everything outside private networks. Patterns such as `*.example.com` cannot be expressed.
 */
import { isIP } from 'node:net';
import type { V1NetworkPolicyEgressRule } from '@kubernetes/client-node';
import type { RevisionSpec } from '#ports/runtime.ts';

/** Resolves a host name to its IPv4 and IPv6 addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const PRIVATE_4 = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '127.0.0.0/8'];
const PRIVATE_6 = ['fc00::/7', 'fe80::/10', '::1/128'];
const everywhere: V1NetworkPolicyEgressRule = {
  to: [{ ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE_4 } }, { ipBlock: { cidr: '::/0', except: PRIVATE_6 } }],
};

const cidrOf = (address: string): string => `${address}/${isIP(address) === 6 ? 128 : 32}`;

const splitTarget = (target: string): { host: string; port: number | undefined } => {
  const [, host = target, port] = /^(.*[^:]):(\d+)$/.exec(target) ?? [];
  return { host, port: port === undefined ? undefined : Number(port) };
};

/** Returns the rule for one host. Undefined if the host does not resolve: the next pass tries again. */
const hostRule = async (host: string, port: number | undefined, resolve: Resolve): Promise<V1NetworkPolicyEgressRule | undefined> => {
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host];
  if (addresses.length === 0) return undefined;
  return {
    to: addresses.toSorted().map((address) => ({ ipBlock: { cidr: cidrOf(address) } })),
    ...(port === undefined ? {} : { ports: [{ protocol: 'TCP', port }] }),
  };
};

type Reached = Pick<RevisionSpec, 'egress' | 'databases' | 'brokers'>;

/** Returns the rules for a revision's targets. Targets that no policy can express are left out. */
export async function egressRules(
  { egress = [], databases = [], brokers = [] }: Reached,
  resolve: Resolve,
): Promise<V1NetworkPolicyEgressRule[]> {
  const rules: V1NetworkPolicyEgressRule[] = [];
  for (const target of egress) {
    if (target === '*') rules.push(everywhere);
    else if (!target.startsWith('*')) {
      const { host, port } = splitTarget(target);
      const rule = await hostRule(host, port, resolve);
      if (rule) rules.push(rule);
    }
  }
  for (const { host, port } of [...databases, ...brokers]) {
    const rule = await hostRule(host, port, resolve);
    if (rule) rules.push(rule);
  }
  return rules;
}
