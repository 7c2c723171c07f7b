/**
 * Host names that no service may take as its domain. The platform's own: the browser's cookies know no ports, so the service would get
 * those of the console. And names that services get by themselves: whoever takes one today would be called by those who mean the
 * service that has it tomorrow, or had it yesterday.
 */
import { environments } from '@slipway/contract/kernel/fields.ts';
import type { ServiceLinks } from '../services.sql.ts';

export const isReservedDomain = (domain: string, { url, hosts }: Pick<ServiceLinks, 'url' | 'hosts'>): boolean => {
  const [service = '', app = ''] = domain.split('.');
  const isGiven = environments.some((environment) => new URL(url({ app, environment, service }, '/')).hostname === domain);
  // Below `localhost` lies every service of this machine.
  return isGiven || hosts.some((host) => domain === host || (host.includes('.') && domain.endsWith(`.${host}`)));
};
